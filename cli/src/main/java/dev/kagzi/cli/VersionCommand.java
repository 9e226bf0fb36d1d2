package dev.kagzi.cli;

import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints what this is made of. */
@Command(
    name = "version",
    description = "Prints the versions of Kagzi, Java and PostgreSQL.",
    footer = "Example: kagzi version")
final class VersionCommand implements Callable<Integer> {
  private final Session session;

  VersionCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    session.out().println(Version.line());
    return ExitCode.OK.number();
  }
}
