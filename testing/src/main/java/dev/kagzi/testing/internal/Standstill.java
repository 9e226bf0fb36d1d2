package dev.kagzi.testing.internal;

import org.jspecify.annotations.Nullable;

/** What a test waits for does not come. */
public final class Standstill extends AssertionError {

  private static final long serialVersionUID = 1;

  public Standstill(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
