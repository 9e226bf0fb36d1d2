package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/** What every exception that Kagzi throws to user code has in common. */
public class KagziException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** An exception that explains itself. */
  public KagziException(String message) {
    super(message);
  }

  /** An exception with what led to it. */
  public KagziException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
