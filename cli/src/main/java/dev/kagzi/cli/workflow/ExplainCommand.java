package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.RunFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says in words why a run does or does not move. */
@Command(
    name = "explain",
    description = "Says why a run is moving or not, what that rests on, and what to do.",
    footer = "Example: kagzi wf explain c2d99e10")
final class ExplainCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private WatchOptions watch = new WatchOptions();

  @Parameters(paramLabel = "RUN", description = "Run id, external id, or the end of a run id.")
  private String run = "";

  ExplainCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var runId = new RunFinder(server).find(run);
    watch.print(session, output.printer(session), () -> answer(server, runId));
    return ExitCode.OK.number();
  }

  private static Answer answer(Server server, String runId) {
    var response = new Runs(server).explain(runId);
    return Answer.one(response, runId, look -> RunText.explanation(response, look));
  }
}
