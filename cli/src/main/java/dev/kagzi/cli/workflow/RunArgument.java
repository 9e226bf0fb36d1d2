package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.Ids;
import dev.kagzi.cli.command.RunFinder;
import dev.kagzi.cli.shell.Session;
import picocli.CommandLine.Parameters;

/** The one run that a command is about. */
final class RunArgument {
  /** What it is called, for the commands that must count their arguments themselves. */
  static final String DESCRIPTION = "Run id, external id, or the end of a run id; - reads one.";

  @Parameters(paramLabel = "RUN", description = DESCRIPTION)
  private String typed = "";

  /** Its id. */
  String find(Session session, Server server) {
    return find(session, server, typed);
  }

  static String find(Session session, Server server, String typed) {
    return new RunFinder(server).find(Ids.one(session, typed));
  }
}
