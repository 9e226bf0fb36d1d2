package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.RunFinder;
import picocli.CommandLine.Parameters;

/** The one run that a command is about. */
final class RunArgument {
  @Parameters(paramLabel = "RUN", description = "Run id, external id, or the end of a run id.")
  private String typed = "";

  /** Its id. */
  String find(Server server) {
    return new RunFinder(server).find(typed);
  }
}
