package dev.kagzi.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
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

  /**
   * How long a transaction is repeated. After a restart of the database every pooled connection is
   * dead and fails at once, so this allows many tries; a caller with more patience asks again.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(4);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  /** What is found out about a database, whoever finds it out. */
  private static final class Findings {
    private volatile @Nullable Boolean otherIsolation;
    private volatile boolean full;
  }

  private final DataSource dataSource;
  private final Findings findings;
  private final Plans plans;

  public Database(DataSource dataSource) {
    this(dataSource, new Findings(), Plans.FREE);
  }

  private Database(DataSource dataSource, Findings findings, Plans plans) {
    this.dataSource = dataSource;
    this.findings = findings;
    this.plans = plans;
  }

  /**
   * The same database for those who repeat few statements very often: each is planned once per
   * connection and not for its values.
   */
  public Database keepingPlans() {
    return new Database(dataSource, findings, Plans.KEPT);
  }

  /**
   * Runs the body in one transaction and returns what it returned, after the commit.
   *
   * @throws DatabaseException if it failed for good, still failed after a few repeats, or failed
   *     for a thread that has been interrupted
   */
  public <T extends @Nullable Object> T inTransaction(Body<T> body) {
    long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
    for (Duration pause = FIRST_PAUSE; ; pause = longerThan(pause)) {
      try {
        return once(body);
      } catch (DatabaseException failure) {
        if (!failure.isTransient()
            || System.nanoTime() - giveUpAt >= 0
            || Thread.currentThread().isInterrupted()) {
          throw failure;
        }
        sleepAbout(pause);
      }
    }
  }

  private static Duration longerThan(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
  }

  /** Runs the body in one transaction, once; a lost connection leaves its fate unknown. */
  public <T extends @Nullable Object> T once(Body<T> body) {
    try {
      return tryOnce(body);
    } catch (DatabaseException failure) {
      findings.full |= failure.isDiskFull();
      throw failure;
    }
  }

  /**
   * Whether a transaction failed because the disk is full. Others may succeed all the same, if they
   * find room in pages that are there already, so only who knows better can take it back.
   */
  public boolean isFull() {
    return findings.full;
  }

  /** A transaction that needed new room has found some. */
  public void noteRoom() {
    findings.full = false;
  }

  /**
   * Runs a body that has one query, as a transaction of its own that begins and ends with it: one
   * round trip instead of three. A lost connection leaves its fate unknown.
   */
  public <T extends @Nullable Object> T atOnce(Body<T> body) {
    if (!Boolean.FALSE.equals(findings.otherIsolation)) {
      return once(body);
    }
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(true);
      try {
        return body.run(Transaction.ofOneQuery(connection, plans));
      } finally {
        restore(connection, autoCommit);
      }
    } catch (SQLException failure) {
      throw new DatabaseException("transaction", failure);
    }
  }

  private <T extends @Nullable Object> T tryOnce(Body<T> body) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        setIsolation(connection);
        T result = body.run(new Transaction(connection, plans));
        connection.commit();
        return result;
      } catch (Throwable failure) {
        rollBack(connection, failure);
        throw failure;
      } finally {
        restore(connection, autoCommit);
      }
    } catch (SQLTransientConnectionException noConnection) {
      throw new DatabaseException(
          "no database connection",
          new SQLException(noConnection.getMessage(), "08001", noConnection));
    } catch (SQLException failure) {
      throw new DatabaseException("transaction", failure);
    }
  }

  /** Runs a statement that cannot be part of a transaction, once. */
  public void alone(String statement) {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(true);
      try (Statement only = connection.createStatement()) {
        only.execute(statement);
      } finally {
        restore(connection, autoCommit);
      }
    } catch (SQLException failure) {
      throw new DatabaseException(statement, failure);
    }
  }

  /** Looked up once: a data source that is READ COMMITTED already costs nothing more. */
  private void setIsolation(Connection connection) throws SQLException {
    Boolean isolatesOtherwise = findings.otherIsolation;
    if (isolatesOtherwise == null) {
      isolatesOtherwise =
          connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED;
      findings.otherIsolation = isolatesOtherwise;
    }
    if (isolatesOtherwise) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      }
    }
  }

  /** The connection may be the application's, which wants it back as it was. */
  private static void restore(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      // A broken connection is not given to anybody again.
    }
  }

  private static void rollBack(Connection connection, Throwable because) {
    try {
      connection.rollback();
    } catch (SQLException alsoFailed) {
      because.addSuppressed(alsoFailed);
    }
  }

  private static void sleepAbout(Duration pause) {
    long nanos = pause.toNanos();
    try {
      Thread.sleep(Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos / 2, nanos + 1)));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
