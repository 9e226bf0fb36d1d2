package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.EditOptions;
import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ForkWorkflowRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a new run with a part of an old one's results. */
@Command(
    name = "fork",
    description = "Starts a new run with the results before a step copied, and prints its id.",
    footer = "Example: kagzi wf fork order-42 --from charge --reason 'gateway is back'")
final class ForkCommand implements Callable<Integer> {
  private static final String START = "start";

  private final Session session;

  @Mixin private EditOptions edit = new EditOptions();
  @Mixin private RunArgument run = new RunArgument();

  @Option(
      names = "--from",
      required = true,
      paramLabel = "STEP",
      description = "The first step to execute again; 'start' begins anew.")
  private String from = "";

  @Option(
      names = "--input",
      paramLabel = "INPUT",
      description = "Another input (JSON, @file or -), together with --from start.")
  private @Nullable String input;

  @Option(names = "--id", paramLabel = "ID", description = "External id of the new run.")
  private String externalId = "";

  @Option(names = "--version", paramLabel = "VERSION", description = "Default: the original's.")
  private @Nullable String version;

  @Option(names = "--queue", paramLabel = "QUEUE", description = "Default: the original's.")
  private String queue = "";

  ForkCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = edit.open(session);
    var request =
        ForkWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(run.find(session, server))
            .setRequestId(server.newId())
            .setFromStepKey(from.equals(START) ? "" : from)
            .setExternalId(externalId)
            .setTaskQueue(queue)
            .setReason(edit.reason());
    if (input != null) {
      request.setInput(JsonInput.payload(session, "--input", input));
    }
    if (version != null) {
      request.setVersion(version);
    }
    return edit.apply(
        session,
        request.build(),
        wanted -> server.workflows(stub -> stub.forkWorkflow(wanted)),
        response -> {
          session.err().println("copied " + Words.count(response.getCopiedSteps(), "settled step"));
          return Answer.one(response, response.getRunId(), look -> response.getRunId() + "\n");
        });
  }
}
