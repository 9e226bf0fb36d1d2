package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.RunFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends failed runs back to work. */
@Command(
    name = "retry",
    description = "Sends failed runs back to work from the step that failed.",
    footer = "Example: kagzi wf list --error 'timed out' -o ids | kagzi wf retry - --yes")
final class RetryCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private BulkOptions bulk = new BulkOptions();

  RetryCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    return bulk.run(
        session,
        new BulkOptions.Verb(
            "retry", BatchOperation.BATCH_OPERATION_RETRY, false, false, RetryCommand::retry));
  }

  private static Answer retry(Server server, String runId, String reason) {
    var request =
        RetryWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .setReason(reason)
            .build();
    var response = server.workflows(stub -> stub.retryWorkflow(request));
    return Answer.one(
        response,
        runId,
        look -> "%s  %s%n".formatted(RunFinder.name(response.getRun()), words(response)));
  }

  private static String words(RetryWorkflowResponse response) {
    if (response.getAlreadyActive()) {
      return "was live already";
    }
    var steps = response.getSupersededStepKeysList();
    return steps.isEmpty() ? "retried" : "retried from " + String.join(", ", steps);
  }
}
