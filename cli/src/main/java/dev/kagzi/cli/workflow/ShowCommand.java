package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.GetWorkflowResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Everything about one run that fits on a screen. */
@Command(
    name = "show",
    description = "Shows a run: what it is, why it is where it is, its steps and its error.",
    footer = "Example: kagzi wf show order-42")
final class ShowCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ShowOptions show = new ShowOptions();
  @Mixin private RunArgument run = new RunArgument();

  @Option(names = "--payloads", description = "Shows input and output in full.")
  private boolean payloads;

  @Option(names = "--attempts", description = "Shows every attempt of every step.")
  private boolean attempts;

  @Option(names = "--tree", description = "Shows children and their steps too, as a tree.")
  private boolean tree;

  ShowCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = show.open(session);
    var runId = run.find(session, server);
    return show.print(session, () -> answer(server, runId), ShowCommand::isLast);
  }

  private static boolean isLast(Answer answer) {
    return answer.message() instanceof GetWorkflowResponse response
        && Runs.isEnded(response.getRun().getStatus());
  }

  private Answer answer(Server server, String runId) {
    var response = new Runs(server).get(runId, payloads || !show.isForPeople());
    return Answer.one(response, runId, look -> text(server, response, look));
  }

  private String text(Server server, GetWorkflowResponse response, Look look) {
    var run = response.getRun();
    var runs = new Runs(server);
    var explanation = runs.explain(run.getRunId());
    var text = new StringBuilder();
    text.append(RunText.header(run, look)).append(RunText.why(explanation, look));
    if (payloads) {
      text.append(RunText.payloads(run));
    }
    text.append('\n');
    if (tree) {
      text.append(new RunTree(runs, look, RunTree.ALL, false).text(run.getRunId()));
    } else {
      text.append(StepTable.text(runs.steps(run.getRunId(), attempts, true), look));
    }
    if (run.hasError()) {
      text.append('\n').append(RunText.error(run.getError(), look));
    }
    return text.toString();
  }
}
