package dev.kagzi.cli.fleet;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.WorkerStatus;
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
  int list(@Mixin ListOptions list) {
    var server = list.open(session);
    var request = ListQueuesRequest.newBuilder().setNamespace(server.namespace());
    return list.print(
        session,
        server,
        (size, token) ->
            server.admin(
                stub -> stub.listQueues(request.setPageSize(size).setPageToken(token).build())),
        new ListOptions.Rows<>(
            ListQueuesResponse::getQueuesList, Queue::getTaskQueue, QueueView::table));
  }

  @Command(
      name = "show",
      description = "Shows one queue, its workers and what nobody serves.",
      footer = "Example: kagzi queue show orders")
  int show(
      @Mixin ShowOptions show,
      @Parameters(paramLabel = "QUEUE", description = "Its name.") String name) {
    var server = show.open(session);
    var request =
        ListQueuesRequest.newBuilder().setNamespace(server.namespace()).addTaskQueues(name).build();
    return show.print(
        session,
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
