package dev.kagzi.cli;

import dev.kagzi.bench.system.BenchFailedException;
import dev.kagzi.cli.demo.DemoFailedException;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.postgres.PostgresStartException;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import dev.kagzi.server.ServerStartException;
import dev.kagzi.server.config.ConfigException;

/** Tells the person at the keyboard what went wrong, without a stack trace unless asked for. */
final class Failures {
  private static final String PREFIX = "kagzi: ";

  private final Session session;
  private final boolean debug;

  Failures(Session session, boolean debug) {
    this.session = session;
    this.debug = debug;
  }

  /** Prints the reason, and says how to end. */
  int report(Throwable failure) {
    if (session.lifetime().isEnding()) {
      return ExitCode.INTERRUPTED.number();
    }
    sentence(failure).lines().forEach(line -> session.err().println(PREFIX + line));
    if (debug) {
      failure.printStackTrace(session.err());
    }
    return code(failure).number();
  }

  static String sentence(Throwable failure) {
    return switch (failure) {
      case ConfigException e -> message(e);
      case ServerStartException e -> message(e);
      case PostgresStartException e -> message(e);
      case CommandFailedException e -> message(e);
      case DemoFailedException e -> message(e);
      case BenchFailedException e -> message(e);
      case KagziException e -> message(e);
      case LinkageError e ->
          "%s: %s; Kagzi has probably been built anew or replaced while this command ran: start it again"
              .formatted(e.getClass().getName(), e.getMessage());
      default ->
          "%s: %s; this is a bug in Kagzi, --debug shows where"
              .formatted(failure.getClass().getName(), failure.getMessage());
    };
  }

  private static String message(Throwable failure) {
    return String.valueOf(failure.getMessage());
  }

  static ExitCode code(Throwable failure) {
    return switch (failure) {
      case CommandFailedException e -> e.code();
      case ConfigException e -> ExitCode.USAGE;
      case WorkflowNotFoundException e -> ExitCode.NOT_FOUND;
      case WorkflowFailedException e -> ExitCode.RUN_FAILED;
      default -> ExitCode.ERROR;
    };
  }
}
