package dev.kagzi.cli.fleet;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.EditOptions;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.command.WorkerFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The processes that execute runs. */
@Command(
    name = "worker",
    description = "Lists, shows and drains workers.",
    footer = "Example: kagzi worker list")
public final class WorkerCommand {
  private static final String WORKER = "Its id, or the end of it.";

  private final Session session;

  public WorkerCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists workers, newest first; without --status those that are not offline.",
      footer = "Example: kagzi worker list --queue orders")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--queue",
              paramLabel = "QUEUE",
              defaultValue = "",
              description = "The task queue that they serve.")
          String queue,
      @Option(
              names = "--status",
              split = ",",
              paramLabel = "STATUS",
              description = "online, draining or offline.")
          @Nullable List<String> statuses) {
    var server = list.open(session);
    var request =
        ListWorkersRequest.newBuilder().setNamespace(server.namespace()).setTaskQueue(queue);
    for (var status : statuses == null ? List.of("online", "draining") : statuses) {
      request.addStatuses(Words.read(WorkerStatus.class, "--status", status));
    }
    return list.print(
        session,
        server,
        (size, token) -> list(server, request.setPageSize(size).setPageToken(token)),
        new ListOptions.Rows<>(
            ListWorkersResponse::getWorkersList, Worker::getWorkerId, WorkerView::table));
  }

  private static ListWorkersResponse list(Server server, ListWorkersRequest.Builder request) {
    return server.admin(stub -> stub.listWorkers(request.build()));
  }

  @Command(
      name = "show",
      description = "Shows a worker, the runs it holds and what happened to it.",
      footer = "Example: kagzi worker show 7f3a91bc")
  int show(
      @Mixin ShowOptions show,
      @Parameters(paramLabel = "WORKER", description = WORKER) String worker) {
    var server = show.open(session);
    var request =
        GetWorkerRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkerId(new WorkerFinder(server).find(worker))
            .build();
    return show.print(
        session,
        () -> {
          var response = server.admin(stub -> stub.getWorker(request));
          return Answer.one(
              response, request.getWorkerId(), look -> WorkerView.text(response, look));
        });
  }

  @Command(
      name = "drain",
      description = "Asks a worker to finish what it holds and leave; asks first.",
      footer = "Example: kagzi worker drain 7f3a91bc --reason 'new release' --yes")
  int drain(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "WORKER", description = WORKER) String worker,
      @Option(names = "--force", description = "Takes it offline now; its runs go to others.")
          boolean force) {
    var server = edit.open(session);
    var request =
        DrainWorkerRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkerId(new WorkerFinder(server).find(worker))
            .setForce(force)
            .setReason(edit.reason())
            .build();
    return edit.applyAsked(
        session,
        (force ? "take offline worker " : "drain worker ") + worker,
        request,
        wanted -> server.admin(stub -> stub.drainWorker(wanted)),
        response ->
            Answer.one(
                response,
                request.getWorkerId(),
                look ->
                    "worker %s is %s and holds %s%n"
                        .formatted(
                            Look.shortId(request.getWorkerId()),
                            look.status(response.getWorker().getStatus()),
                            Words.count(response.getWorker().getActiveCount(), "run"))));
  }
}
