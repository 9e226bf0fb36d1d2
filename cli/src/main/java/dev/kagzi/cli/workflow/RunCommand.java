package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a run, tells what it does, and prints what comes of it. */
@Command(
    name = "run",
    description = "Starts a run, follows it and prints its output; exit code 5 if it failed.",
    footer = "Example: kagzi run greet '{\"name\":\"Ada\"}'")
public final class RunCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private StartOptions start = new StartOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions.DryRun dryRun = new ChangeOptions.DryRun();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Follows it no longer, and ends with exit code 6; the run goes on.")
  private @Nullable String timeout;

  @Option(names = "--detach", description = "Prints the run id and does not follow the run.")
  private boolean detach;

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints the output alone and not what the run does.")
  private boolean quiet;

  public RunCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var limit = timeout == null ? null : Moments.duration("--timeout", timeout);
    var server = client.open(session);
    var request = start.request(session, server);
    if (dryRun.shows(session, request)) {
      return ExitCode.OK.number();
    }
    var response = StartCommand.start(session, server, request);
    var runId = response.getRunId();
    if (detach) {
      output.printer(session).print(Answer.one(response, runId, look -> runId + "\n"));
      return ExitCode.OK.number();
    }
    var wait = new Wait(session, server, limit);
    if (quiet) {
      return new Outcome(session, output).print(wait.until(runId, () -> {}));
    }
    var news = new RunNews(session, new Runs(server), output.errorLook(session), runId);
    news.tellStart(request.getWorkflowType());
    var ended = wait.until(runId, news::tellOrExplain);
    news.tellEnd(ended.getRun());
    return new Outcome(session, output).print(ended);
  }
}
