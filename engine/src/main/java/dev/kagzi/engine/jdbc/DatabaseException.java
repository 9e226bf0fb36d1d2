package dev.kagzi.engine.jdbc;

import java.sql.SQLException;

/** A database call that failed, with what its SQLSTATE says about the next thing to do. */
public final class DatabaseException extends RuntimeException {

  private static final String DEADLOCK = "40P01";
  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String LOCK_TIMEOUT = "55P03";
  private static final String IDLE_IN_TRANSACTION = "25P03";
  private static final String TRANSACTION_TIMEOUT = "25P04";
  private static final String TOO_MANY_CONNECTIONS = "53300";
  private static final String DISK_FULL = "53100";
  private static final String UNIQUE_VIOLATION = "23505";
  private static final String QUERY_CANCELED = "57014";

  private final String sqlState;

  public DatabaseException(String doing, SQLException cause) {
    super(doing + ": " + cause.getMessage(), cause);
    this.sqlState = cause.getSQLState() == null ? "08000" : cause.getSQLState();
  }

  public String sqlState() {
    return sqlState;
  }

  /** The transaction was rolled back for sure and may succeed when it is simply run again. */
  public boolean isRolledBack() {
    return sqlState.equals(SERIALIZATION_FAILURE)
        || sqlState.equals(DEADLOCK)
        || sqlState.equals(LOCK_TIMEOUT);
  }

  /** The connection is gone; if this happened in COMMIT nobody knows whether it took effect. */
  public boolean isConnectionLost() {
    return sqlState.startsWith("08")
        || sqlState.startsWith("57P")
        || sqlState.equals(IDLE_IN_TRANSACTION)
        || sqlState.equals(TRANSACTION_TIMEOUT)
        || sqlState.equals(TOO_MANY_CONNECTIONS);
  }

  /** One of the values is to blame: data exception or constraint violation. */
  public boolean isDataFault() {
    return sqlState.startsWith("22") || sqlState.startsWith("23");
  }

  /** A row with the same unique key is there already. */
  public boolean isDuplicate() {
    return sqlState.equals(UNIQUE_VIOLATION);
  }

  /** The database's disk is full. */
  public boolean isDiskFull() {
    return sqlState.equals(DISK_FULL);
  }

  /** The database gave up a statement, because its time was over or somebody asked it to. */
  public boolean isCanceled() {
    return sqlState.equals(QUERY_CANCELED);
  }

  /** Whether the same transaction may succeed a moment later. */
  public boolean isTransient() {
    return isRolledBack() || isConnectionLost();
  }
}
