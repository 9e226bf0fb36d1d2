package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Waits for a run and prints what came of it. */
@Command(
    name = "result",
    description = "Waits for a run to end and prints its output only; exit code 5 if it failed.",
    footer = "Example: kagzi wf result order-42 --timeout 5m")
final class ResultCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private RunArgument run = new RunArgument();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Waits no longer, and ends with exit code 6. 0 does not wait at all.")
  private @Nullable String timeout;

  ResultCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var limit = timeout == null ? null : Moments.duration("--timeout", timeout);
    var server = client.open(session);
    var runId = run.find(session, server);
    var response = new Wait(session, server, limit).until(runId, () -> {});
    return new Outcome(session, output).print(response);
  }
}
