package dev.kagzi.server;

/**
 * The server could not start. The message is one line that says what is wrong, where the value came
 * from and what to do; it never shows a password.
 */
public final class ServerStartException extends RuntimeException {

  /** What is wrong, for callers that can help. */
  public enum Reason {
    /** Somebody else listens there. */
    PORT_IN_USE,
    /** Nobody answers at the database's address, or it is starting or stopping. */
    DATABASE_UNREACHABLE,
    /** The database does not let this user in. */
    DATABASE_LOGIN_FAILED,
    /** The server has no database of this name. */
    DATABASE_MISSING,
    /** No connection is free, or no space is left. */
    DATABASE_FULL,
    /** The schema was made by a newer Kagzi. */
    SCHEMA_NEWER,
    /** The schema is old, and may not be changed at start. */
    SCHEMA_OLDER,
    /** The schema is a draft from before the first release. */
    SCHEMA_DRAFT,
    /** Anything else. */
    FAILED
  }

  private final Reason reason;

  ServerStartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
