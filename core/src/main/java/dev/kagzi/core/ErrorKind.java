package dev.kagzi.core;

/** What sort of trouble an error is, as far as deciding about a retry goes. */
public enum ErrorKind {
  /** Nobody classified it. Retryable, because nearly every Java exception arrives like this. */
  UNKNOWN("Unknown", true),
  /** A connection failed or broke. */
  NETWORK_ERROR("NetworkError", true),
  /** Something took longer than allowed. */
  TIMEOUT("Timeout", true),
  /** A database refused or failed. */
  DATABASE_ERROR("DatabaseError", true),
  /** A peer asked to slow down. */
  RATE_LIMIT_EXCEEDED("RateLimitExceeded", true),
  /** A peer is there but cannot serve now. */
  SERVICE_UNAVAILABLE("ServiceUnavailable", true),
  /** The thing asked for does not exist. */
  NOT_FOUND("NotFound", false),
  /** The caller may not do this. */
  UNAUTHORIZED("Unauthorized", false),
  /** The request can never succeed as it is. */
  BAD_REQUEST("BadRequest", false),
  /** A value breaks a rule of the domain. */
  VALIDATION_ERROR("ValidationError", false),
  /** A run whose workers kept dying without progress. */
  CRASH_LOOP("CrashLoop", false),
  /** The run was cancelled. */
  CANCELLED("Cancelled", false),
  /** The worker of a step that must not run twice was lost while it ran. */
  INTERRUPTED("Interrupted", false),
  /** A child run ended without a result. */
  CHILD_FAILED("ChildFailed", false),
  /** A limit of the engine was reached. */
  LIMIT_EXCEEDED("LimitExceeded", false);

  private final String text;
  private final boolean retryable;

  ErrorKind(String text, boolean retryable) {
    this.text = text;
    this.retryable = retryable;
  }

  /** The name people read and write: {@code NetworkError}. */
  public String text() {
    return text;
  }

  /** Whether another attempt may help, when nothing more specific was said. */
  public boolean isRetryable() {
    return retryable;
  }
}
