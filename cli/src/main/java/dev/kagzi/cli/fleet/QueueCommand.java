package dev.kagzi.cli.fleet;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.WorkerStatus;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** How work is handed out. */
@Command(
    name = "queue",
    description = "Shows task queues: what waits there, and who serves it.",
    footer = "Example: kagzi queue list -w")
public final class QueueCommand {
  private static final int MOST_WORKERS = 100;

  private final Session session;

  public QueueCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists the queues that have work or workers, by name.",
      footer = "Example: kagzi queue list -w")
  int list(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Mixin PageOptions pages) {
    var server = client.open(session);
    var request = ListQueuesRequest.newBuilder().setNamespace(server.namespace());
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response =
              pages.fetch(
                  (size, token) ->
                      server.admin(stub ->
                          stub.listQueues(request.setPageSize(size).setPageToken(token).build())),
                  ListQueuesResponse::getPage,
                  ListQueuesResponse::getQueuesCount,
                  QueueCommand::merge);
          return Answer.list(
              response,
              response.getQueuesList(),
              Queue::getTaskQueue,
              look -> QueueView.table(response, look));
        });
    return ExitCode.OK.number();
  }

  private static ListQueuesResponse merge(List<ListQueuesResponse> pages) {
    var all = pages.getLast().toBuilder().clearQueues();
    pages.forEach(page -> all.addAllQueues(page.getQueuesList()));
    return all.build();
  }

  @Command(
      name = "show",
      description = "Shows one queue, its workers and what nobody serves.",
      footer = "Example: kagzi queue show orders")
  int show(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Parameters(paramLabel = "QUEUE", description = "Its name.") String name) {
    var server = client.open(session);
    var request =
        ListQueuesRequest.newBuilder().setNamespace(server.namespace()).addTaskQueues(name).build();
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response = server.admin(stub -> stub.listQueues(request));
          if (response.getQueuesCount() == 0) {
            throw CommandFailedException.notFound(
                "no queue '%s' has work or workers; kagzi queue list shows those that have"
                    .formatted(name));
          }
          return Answer.one(
              response,
              name,
              look -> QueueView.text(response.getQueues(0), workers(server, name), look));
        });
    return ExitCode.OK.number();
  }

  private static ListWorkersResponse workers(Server server, String queue) {
    var request =
        ListWorkersRequest.newBuilder()
            .setNamespace(server.namespace())
            .setTaskQueue(queue)
            .addStatuses(WorkerStatus.WORKER_STATUS_ONLINE)
            .addStatuses(WorkerStatus.WORKER_STATUS_DRAINING)
            .setPageSize(MOST_WORKERS)
            .build();
    return server.admin(stub -> stub.listWorkers(request));
  }
}
