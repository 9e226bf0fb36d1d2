package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.GetWorkflowResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Follows a run as a tree of steps and children. */
@Command(
    name = "trace",
    description = "Follows a run as a tree of its steps and children until it ends.",
    footer = "Example: kagzi wf trace order-42 --depth 2")
final class TraceCommand implements Callable<Integer> {
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private RunArgument run = new RunArgument();

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = "How many generations of children to show. Default: 3.")
  private int depth = 3;

  @Option(names = "--no-fold", description = "Shows every row of long lists.")
  private boolean noFold;

  @Option(names = "--once", description = "Shows the tree as it is now, and does not follow.")
  private boolean once;

  TraceCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var runId = run.find(session, server);
    WatchOptions.follow(
        session,
        output.printer(session),
        () -> answer(server, runId),
        answer -> once || isLast(answer),
        PAUSE);
    return ExitCode.OK.number();
  }

  private static boolean isLast(Answer answer) {
    return answer.message() instanceof GetWorkflowResponse response
        && Runs.isEnded(response.getRun().getStatus());
  }

  private Answer answer(Server server, String runId) {
    var runs = new Runs(server);
    var response = runs.get(runId, false);
    return Answer.one(response, runId, look -> new RunTree(runs, look, depth, !noFold).text(runId));
  }
}
