package dev.kagzi.sdk;

import com.fasterxml.jackson.annotation.JsonAlias;

/** What sort of trouble an error is, as far as deciding about another attempt goes. */
public enum ErrorKind {
  /** Nobody classified it. Retryable, because nearly every Java exception arrives like this. */
  @JsonAlias({"ERROR_KIND_UNKNOWN", "ERROR_KIND_UNSPECIFIED"})
  UNKNOWN("Unknown", true),
  /** A connection failed or broke. */
  @JsonAlias("ERROR_KIND_NETWORK_ERROR")
  NETWORK_ERROR("NetworkError", true),
  /** Something took longer than allowed. */
  @JsonAlias("ERROR_KIND_TIMEOUT")
  TIMEOUT("Timeout", true),
  /** A database refused or failed. */
  @JsonAlias("ERROR_KIND_DATABASE_ERROR")
  DATABASE_ERROR("DatabaseError", true),
  /** A peer asked to slow down. */
  @JsonAlias("ERROR_KIND_RATE_LIMIT_EXCEEDED")
  RATE_LIMIT_EXCEEDED("RateLimitExceeded", true),
  /** A peer is there but cannot serve now. */
  @JsonAlias("ERROR_KIND_SERVICE_UNAVAILABLE")
  SERVICE_UNAVAILABLE("ServiceUnavailable", true),
  /** The thing asked for does not exist. */
  @JsonAlias("ERROR_KIND_NOT_FOUND")
  NOT_FOUND("NotFound", false),
  /** The caller may not do this. */
  @JsonAlias("ERROR_KIND_UNAUTHORIZED")
  UNAUTHORIZED("Unauthorized", false),
  /** The request can never succeed as it is. */
  @JsonAlias("ERROR_KIND_BAD_REQUEST")
  BAD_REQUEST("BadRequest", false),
  /** A value breaks a rule of the domain. */
  @JsonAlias("ERROR_KIND_VALIDATION_ERROR")
  VALIDATION_ERROR("ValidationError", false),
  /** The run killed its workers again and again without settling a step. */
  @JsonAlias("ERROR_KIND_CRASH_LOOP")
  CRASH_LOOP("CrashLoop", false),
  /** The run was cancelled. */
  @JsonAlias("ERROR_KIND_CANCELLED")
  CANCELLED("Cancelled", false),
  /** The worker of a step that must not run twice was lost while it ran. */
  @JsonAlias("ERROR_KIND_INTERRUPTED")
  INTERRUPTED("Interrupted", false),
  /** A child run ended without a result. */
  @JsonAlias("ERROR_KIND_CHILD_FAILED")
  CHILD_FAILED("ChildFailed", false),
  /** A limit of the engine was reached. */
  @JsonAlias("ERROR_KIND_LIMIT_EXCEEDED")
  LIMIT_EXCEEDED("LimitExceeded", false);

  private final String text;
  private final boolean retryable;

  ErrorKind(String text, boolean retryable) {
    this.text = text;
    this.retryable = retryable;
  }

  /** The name that people read and write: {@code NetworkError}. */
  public String text() {
    return text;
  }

  /** Whether {@link Retry#onRetryableErrors} tries an error of this kind again. */
  public boolean isRetryable() {
    return retryable;
  }
}
