package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by user code to say that another attempt cannot help: the step fails for good at once,
 * whatever its retry policy.
 */
public class NonRetryableException extends KagziException {

  private static final long serialVersionUID = 1;

  /** Says why another attempt cannot help. */
  public NonRetryableException(String message) {
    super(message);
  }

  /** Says why another attempt cannot help, with what led to it. */
  public NonRetryableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
