package dev.kagzi.postgres;

import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL could not be started. The message is written for the person at the keyboard: what is
 * wrong, with which folder or port, and what to do next; no stack trace is needed to act on it.
 */
public final class PostgresStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why it could not be started, for callers that react to it. */
  public enum Reason {
    /** Another process, or another instance in this one, runs on the same data directory. */
    DATA_IN_USE,
    /** Another program listens on the port. */
    PORT_IN_USE,
    /** The disk, or the quota, of the data or of the unpacked binaries is full. */
    DISK_FULL,
    /** The data was written by another major version of PostgreSQL. */
    WRONG_VERSION,
    /** A folder cannot be created, written, or reached by the user PostgreSQL runs as. */
    NOT_WRITABLE,
    /** Anything else; the message ends with the last lines of PostgreSQL's log. */
    START_FAILED
  }

  private final Reason reason;

  PostgresStartException(Reason reason, String message) {
    this(reason, message, null);
  }

  PostgresStartException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
