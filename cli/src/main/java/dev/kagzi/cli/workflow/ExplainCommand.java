package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says in words why a run does or does not move. */
@Command(
    name = "explain",
    description = "Says why a run is moving or not, what that rests on, and what to do.",
    footer = "Example: kagzi wf explain c2d99e10")
final class ExplainCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ShowOptions show = new ShowOptions();
  @Mixin private RunArgument run = new RunArgument();

  ExplainCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = show.open(session);
    var runId = run.find(session, server);
    return show.print(session, () -> answer(server, runId));
  }

  private static Answer answer(Server server, String runId) {
    var response = new Runs(server).explain(runId);
    return Answer.one(response, runId, look -> RunText.explanation(response, look));
  }
}
