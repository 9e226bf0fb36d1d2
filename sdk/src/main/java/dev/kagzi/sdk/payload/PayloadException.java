package dev.kagzi.sdk.payload;

import dev.kagzi.sdk.NonRetryableException;
import org.jspecify.annotations.Nullable;

/**
 * A value could not be written, or bytes could not be read as the type asked for. Trying again does
 * not help, so a step that ends like this is not retried.
 */
public final class PayloadException extends NonRetryableException {

  private static final long serialVersionUID = 1;

  /** Says which value and why. */
  public PayloadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
