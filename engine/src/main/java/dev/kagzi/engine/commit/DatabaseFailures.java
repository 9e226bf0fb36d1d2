package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.jdbc.DatabaseException;

/** Turns a failed transaction into what a caller can act on. */
public final class DatabaseFailures {

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
    if (failure.isDataFault()) {
      return new EngineException(
          ErrorCode.INVALID_ARGUMENT,
          "the database refused a value (SQLSTATE %s)".formatted(failure.sqlState()),
          failure);
    }
    return failure;
  }
}
