package dev.kagzi.server;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Tries to connect for a while before it gives up. The pool itself waits up to five seconds between
 * two attempts once the database has been away, which would be added to every outage.
 */
final class ReconnectingDataSource implements DataSource {

  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final DataSource target;

  ReconnectingDataSource(DataSource target) {
    this.target = target;
  }

  @Override
  public Connection getConnection() throws SQLException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return target.getConnection();
      } catch (SQLException failure) {
        if (!isAway(failure) || System.nanoTime() - end >= 0) {
          throw failure;
        }
        pause(failure);
      }
    }
  }

  /** Nobody listens, or the server is starting or stopping. */
  private static boolean isAway(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return state.startsWith("08") || state.startsWith("57P");
  }

  private static void pause(SQLException failure) throws SQLException {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return target.getConnection(user, password);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return target.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    target.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    target.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return target.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return target.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return target.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return target.isWrapperFor(type);
  }
}
