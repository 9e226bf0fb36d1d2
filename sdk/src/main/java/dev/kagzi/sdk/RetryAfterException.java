package dev.kagzi.sdk;

import dev.kagzi.core.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by user code that knows when another attempt can help, such as from what a busy service
 * answered: the next attempt comes after this time instead of the policy's. It counts as an attempt
 * like any other failure.
 */
public class RetryAfterException extends KagziException {

  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  /** Says what happened and how long to wait, such as {@code 30s}. */
  public RetryAfterException(String message, String retryAfter) {
    this(message, Durations.parse(retryAfter));
  }

  /** Says what happened and how long to wait. */
  public RetryAfterException(String message, Duration retryAfter) {
    this(message, retryAfter, null);
  }

  /**
   * Says what happened and how long to wait, with what led to it.
   *
   * @throws IllegalArgumentException if the wait is negative
   */
  public RetryAfterException(String message, Duration retryAfter, @Nullable Throwable cause) {
    super(message, cause);
    if (retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter: " + retryAfter + " (expected: >= 0)");
    }
    this.retryAfter = retryAfter;
  }

  /** How long to wait before the next attempt. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
