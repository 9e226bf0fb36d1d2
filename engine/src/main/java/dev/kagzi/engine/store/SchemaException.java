package dev.kagzi.engine.store;

import org.flywaydb.core.api.FlywayException;

/** The schema in the database is not one this code can work with. */
public final class SchemaException extends RuntimeException {

  /** What is wrong, for callers that can help. */
  public enum Reason {
    /** The code is older than the database. */
    NEWER,
    /** The database is older than the code and may not be changed now. */
    OLDER,
    /** The same version with another text: a draft from before the first release. */
    OTHER_DRAFT,
    /** The database could not be asked or changed. */
    FAILED
  }

  private final Reason reason;

  SchemaException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  private SchemaException(FlywayException cause) {
    super("the schema could not be read or changed: " + cause.getMessage(), cause);
    this.reason = Reason.FAILED;
  }

  static SchemaException of(FlywayException cause) {
    return new SchemaException(cause);
  }

  public Reason reason() {
    return reason;
  }
}
