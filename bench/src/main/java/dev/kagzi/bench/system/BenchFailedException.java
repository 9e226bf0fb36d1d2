package dev.kagzi.bench.system;

import org.jspecify.annotations.Nullable;

/** Something could not be measured; the message is for the person at the keyboard. */
public final class BenchFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public BenchFailedException(String message) {
    this(message, null);
  }

  public BenchFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
