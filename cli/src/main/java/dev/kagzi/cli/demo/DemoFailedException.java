package dev.kagzi.cli.demo;

/** The demonstration did not show what it should; the message says what happened instead. */
public final class DemoFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DemoFailedException(String message) {
    super(message);
  }

  DemoFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
