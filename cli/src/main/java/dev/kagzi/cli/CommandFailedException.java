package dev.kagzi.cli;

import org.jspecify.annotations.Nullable;

/** A command could not do what it was asked; the message is for the person at the keyboard. */
final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ExitCode code;

  CommandFailedException(String message) {
    this(ExitCode.ERROR, message, null);
  }

  CommandFailedException(ExitCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  ExitCode code() {
    return code;
  }
}
