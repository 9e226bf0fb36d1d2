package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.jdbc.DatabaseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a failed transaction into what a caller can act on. */
public final class DatabaseFailures {

  private static final Logger log = LoggerFactory.getLogger(DatabaseFailures.class);

  private DatabaseFailures() {}

  public static RuntimeException toRefusal(DatabaseException failure) {
    if (failure.isDiskFull()) {
      return new EngineException(
          ErrorCode.DATABASE_FULL, "the database's disk is full; free some space", failure);
    }
    if (failure.isTransient()) {
      return new EngineException(
          ErrorCode.DATABASE_UNAVAILABLE, "the database cannot be reached now", failure);
    }
    if (failure.isCanceled()) {
      // Callers can only wait; which statement it was, those who run the server have to know.
      log.warn("the database gave up a statement that took too long", failure);
      return new EngineException(
          ErrorCode.DATABASE_TOO_SLOW,
          "the database did not finish in time; ask again later, or for less",
          failure);
    }
    if (failure.isDataFault()) {
      return new EngineException(
          ErrorCode.INVALID_ARGUMENT,
          "the database refused a value (SQLSTATE %s)".formatted(failure.sqlState()),
          failure);
    }
    return failure;
  }
}
