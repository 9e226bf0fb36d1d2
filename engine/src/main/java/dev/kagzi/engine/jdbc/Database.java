package dev.kagzi.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions on a {@link DataSource}, READ COMMITTED, and repeats them when the database
 * rolled them back or lost the connection. A lost connection may hide a commit, so a body must be
 * safe to repeat: Kagzi's are, because every write names the state it expects.
 *
 * <p>Thread-safe.
 */
public final class Database {

  /** What runs inside a transaction. */
  @FunctionalInterface
  public interface Body<T extends @Nullable Object> {
    T run(Transaction tx);
  }

  private static final int TRIES = 4;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

  private final DataSource dataSource;

  public Database(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Runs the body in one transaction and returns what it returned, after the commit.
   *
   * @throws DatabaseException if it failed for good, or still failed after a few repeats
   */
  public <T extends @Nullable Object> T inTransaction(Body<T> body) {
    for (int tried = 1; ; tried++) {
      try {
        return once(body);
      } catch (DatabaseException failure) {
        if (!failure.isTransient() || tried == TRIES) {
          throw failure;
        }
        pauseBefore(tried);
      }
    }
  }

  /** Runs the body in one transaction, once; a lost connection leaves its fate unknown. */
  public <T extends @Nullable Object> T once(Body<T> body) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = body.run(new Transaction(connection));
        connection.commit();
        return result;
      } catch (Throwable failure) {
        rollBack(connection, failure);
        throw failure;
      }
    } catch (SQLTransientConnectionException noConnection) {
      throw new DatabaseException(
          "no database connection",
          new SQLException(noConnection.getMessage(), "08001", noConnection));
    } catch (SQLException failure) {
      throw new DatabaseException("transaction", failure);
    }
  }

  private static void rollBack(Connection connection, Throwable because) {
    try {
      connection.rollback();
    } catch (SQLException alsoFailed) {
      because.addSuppressed(alsoFailed);
    }
  }

  private static void pauseBefore(int retry) {
    long most = FIRST_PAUSE.toMillis() << (2 * (retry - 1));
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
