package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.DeleteWorkflowRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes ended runs. */
@Command(
    name = "delete",
    description = "Deletes ended runs with their histories; asks first.",
    footer = "Example: kagzi wf delete --status completed --finished-until 30d --yes")
final class DeleteCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private BulkOptions bulk = new BulkOptions();

  DeleteCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    return bulk.run(
        session,
        new BulkOptions.Verb(
            "delete", BatchOperation.BATCH_OPERATION_DELETE, false, true, DeleteCommand::delete));
  }

  private static Answer delete(Server server, String runId, String reason) {
    var request =
        DeleteWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .setReason(reason)
            .build();
    var response = server.workflows(stub -> stub.deleteWorkflow(request));
    var word = response.getDeleted() ? "deleted" : "was not there";
    return Answer.one(response, runId, look -> "%s  %s%n".formatted(Look.shortId(runId), word));
  }
}
