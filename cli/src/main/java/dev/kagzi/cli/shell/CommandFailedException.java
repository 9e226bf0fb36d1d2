package dev.kagzi.cli.shell;

import org.jspecify.annotations.Nullable;

/** A command could not do what it was asked; the message is for the person at the keyboard. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ExitCode code;

  public CommandFailedException(String message) {
    this(ExitCode.ERROR, message, null);
  }

  public CommandFailedException(ExitCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The command was given something that it cannot use. */
  public static CommandFailedException usage(String message) {
    return new CommandFailedException(ExitCode.USAGE, message, null);
  }

  /** There is no such thing. */
  public static CommandFailedException notFound(String message) {
    return new CommandFailedException(ExitCode.NOT_FOUND, message, null);
  }

  public ExitCode code() {
    return code;
  }
}
