package dev.kagzi.cli;

import org.jspecify.annotations.Nullable;

/** A command could not do what it was asked; the message is for the person at the keyboard. */
final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
