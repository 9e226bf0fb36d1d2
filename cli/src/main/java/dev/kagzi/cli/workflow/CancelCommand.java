package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.RunFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.CancelWorkflowResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cancels live runs. */
@Command(
    name = "cancel",
    description = "Cancels live runs; those inside a saga undo their work first.",
    footer = "Example: kagzi wf cancel order-42 --reason 'ordered twice'")
final class CancelCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private BulkOptions bulk = new BulkOptions();

  @Option(names = "--terminate", description = "Ends them at once, without compensations; asks.")
  private boolean terminate;

  CancelCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    return bulk.run(
        session,
        new BulkOptions.Verb(
            terminate ? "terminate" : "cancel",
            BatchOperation.BATCH_OPERATION_CANCEL,
            terminate,
            terminate,
            this::cancel));
  }

  private Answer cancel(Server server, String runId, String reason) {
    var request =
        CancelWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .setReason(reason)
            .setTerminate(terminate)
            .build();
    var response = server.workflows(stub -> stub.cancelWorkflow(request));
    return Answer.one(
        response,
        runId,
        look -> "%s  %s%n".formatted(RunFinder.name(response.getRun()), words(response)));
  }

  private static String words(CancelWorkflowResponse response) {
    return switch (response.getOutcome()) {
      case CANCEL_OUTCOME_CANCELLED -> "cancelled";
      case CANCEL_OUTCOME_STOP_REQUESTED -> "undoes its work and is cancelled then";
      case CANCEL_OUTCOME_ALREADY_FINISHED ->
          "had ended already: " + Words.of(response.getRun().getStatus());
      default -> Words.lower(response.getOutcome());
    };
  }
}
