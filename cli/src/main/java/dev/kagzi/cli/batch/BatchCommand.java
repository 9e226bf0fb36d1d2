package dev.kagzi.cli.batch;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.EditOptions;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.command.Tails;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.Batch;
import dev.kagzi.v1.BatchItemStatus;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetBatchResponse;
import dev.kagzi.v1.ListBatchesRequest;
import dev.kagzi.v1.ListBatchesResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What cancel, retry and delete have started over a filter. */
@Command(
    name = "batch",
    description = "Lists, shows and stops what was done to many runs at once.",
    footer = "Example: kagzi batch list")
public final class BatchCommand {
  private static final String BATCH = "Its id, or the end of it.";
  private static final int RECENT = 1000;

  private final Session session;

  public BatchCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists batches, newest first.",
      footer = "Example: kagzi batch list --status running")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--status",
              split = ",",
              paramLabel = "STATUS",
              description = "running, completed or cancelled.")
          @Nullable List<String> statuses) {
    var server = list.open(session);
    var request = ListBatchesRequest.newBuilder().setNamespace(server.namespace());
    for (var status : statuses == null ? List.<String>of() : statuses) {
      request.addStatuses(Words.read(BatchStatus.class, "--status", status));
    }
    return list.print(
        session,
        server,
        (size, token) -> list(server, request.setPageSize(size).setPageToken(token)),
        new ListOptions.Rows<>(
            ListBatchesResponse::getBatchesList, Batch::getBatchId, BatchView::table));
  }

  private static ListBatchesResponse list(Server server, ListBatchesRequest.Builder request) {
    return server.workflows(stub -> stub.listBatches(request.build()));
  }

  @Command(
      name = "show",
      description = "Shows a batch and the results of its runs.",
      footer = "Example: kagzi batch show 1a2b3c4d --result failed")
  int show(
      @Mixin ShowOptions show,
      @Mixin PageOptions pages,
      @Parameters(paramLabel = "BATCH", description = BATCH) String batch,
      @Option(
              names = "--result",
              split = ",",
              paramLabel = "RESULT",
              description = "pending, succeeded, failed or skipped. Default: all.")
          @Nullable List<String> results) {
    var server = show.open(session);
    var request =
        GetBatchRequest.newBuilder()
            .setNamespace(server.namespace())
            .setBatchId(find(server, batch));
    for (var result : results == null ? List.<String>of() : results) {
      request.addItemStatuses(Words.read(BatchItemStatus.class, "--result", result));
    }
    return show.print(
        session,
        () -> {
          var response =
              pages.fetch(
                  session,
                  (size, token) ->
                      server.workflows(stub ->
                          stub.getBatch(request.setPageSize(size).setPageToken(token).build())));
          return Answer.one(
              response, response.getBatch().getBatchId(), look -> BatchView.text(response, look));
        },
        answer ->
            answer.message() instanceof GetBatchResponse response
                && response.getBatch().getStatus() != BatchStatus.BATCH_STATUS_RUNNING);
  }

  private static String find(Server server, String meant) {
    return Tails.find(
        server,
        "batch",
        meant,
        () ->
            list(
                    server,
                    ListBatchesRequest.newBuilder()
                        .setNamespace(server.namespace())
                        .setPageSize(RECENT))
                .getBatchesList()
                .stream()
                .map(Batch::getBatchId)
                .toList());
  }

  @Command(
      name = "cancel",
      description = "Stops a batch; what it has done stays done.",
      footer = "Example: kagzi batch cancel 1a2b3c4d --reason 'wrong filter'")
  int cancel(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "BATCH", description = BATCH) String batch) {
    var server = edit.open(session);
    var request =
        CancelBatchRequest.newBuilder()
            .setNamespace(server.namespace())
            .setBatchId(find(server, batch))
            .setReason(edit.reason())
            .build();
    return edit.apply(
        session,
        request,
        wanted -> server.workflows(stub -> stub.cancelBatch(wanted)),
        response ->
            Answer.one(
                response,
                response.getBatch().getBatchId(),
                look -> BatchView.line(response.getBatch()) + "\n"));
  }
}
