package dev.kagzi.cli.batch;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BatchItemStatus;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetBatchResponse;
import java.util.concurrent.CancellationException;

/** Follows a batch to its end. */
public final class BatchProgress {
  private static final long LOOK_EVERY_MILLIS = 100;
  private static final int FAILURES_SHOWN = 10;

  private final Session session;
  private final Server server;
  private final OutputOptions output;

  public BatchProgress(Session session, Server server, OutputOptions output) {
    this.session = session;
    this.server = server;
    this.output = output;
  }

  /**
   * Prints what became of a batch, and says how to end.
   *
   * @param detached whether to print how it is now instead
   */
  public int follow(String batchId, boolean detached) {
    var response = detached ? get(batchId) : awaitEnd(batchId);
    var failed = response.getBatch().getFailed() > 0;
    output
        .printer(session)
        .print(
            Answer.one(
                response,
                batchId,
                look ->
                    BatchView.line(response.getBatch())
                        + "\n"
                        + (failed ? BatchView.items(response.getItemsList(), look) : "")));
    return (failed ? ExitCode.ERROR : ExitCode.OK).number();
  }

  private GetBatchResponse awaitEnd(String batchId) {
    try (var progress = new Progress(session)) {
      while (true) {
        var response = get(batchId);
        if (response.getBatch().getStatus() != BatchStatus.BATCH_STATUS_RUNNING) {
          return response;
        }
        progress.show(BatchView.line(response.getBatch()));
        if (session.lifetime().awaitEnding(LOOK_EVERY_MILLIS)) {
          throw new CancellationException("the command was told to end");
        }
      }
    } catch (CancellationException told) {
      session.err().println("the batch goes on: kagzi batch show " + batchId);
      throw told;
    }
  }

  private GetBatchResponse get(String batchId) {
    var request =
        GetBatchRequest.newBuilder()
            .setNamespace(server.namespace())
            .setBatchId(batchId)
            .addItemStatuses(BatchItemStatus.BATCH_ITEM_STATUS_FAILED)
            .setPageSize(FAILURES_SHOWN)
            .build();
    return server.workflows(stub -> stub.getBatch(request));
  }
}
