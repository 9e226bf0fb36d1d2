package dev.kagzi.cli.fleet;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.command.Tails;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import java.util.ArrayList;
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
  private static final int PAGE = 1000;

  private final Session session;

  public WorkerCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists workers, newest first; without --status those that are not offline.",
      footer = "Example: kagzi worker list --queue orders")
  int list(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Mixin PageOptions pages,
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
    var server = client.open(session);
    var request =
        ListWorkersRequest.newBuilder().setNamespace(server.namespace()).setTaskQueue(queue);
    for (var status : statuses == null ? List.of("online", "draining") : statuses) {
      request.addStatuses(Words.read(WorkerStatus.class, "--status", status));
    }
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response =
              pages.fetch(
                  (size, token) -> list(server, request.setPageSize(size).setPageToken(token)),
                  ListWorkersResponse::getPage,
                  ListWorkersResponse::getWorkersCount,
                  WorkerCommand::merge);
          return Answer.list(
              response,
              response.getWorkersList(),
              Worker::getWorkerId,
              look -> WorkerView.table(response, look));
        });
    return ExitCode.OK.number();
  }

  private static ListWorkersResponse list(Server server, ListWorkersRequest.Builder request) {
    return server.admin(stub -> stub.listWorkers(request.build()));
  }

  private static ListWorkersResponse merge(List<ListWorkersResponse> pages) {
    var all = pages.getLast().toBuilder().clearWorkers();
    pages.forEach(page -> all.addAllWorkers(page.getWorkersList()));
    return all.build();
  }

  @Command(
      name = "show",
      description = "Shows a worker, the runs it holds and what happened to it.",
      footer = "Example: kagzi worker show 7f3a91bc")
  int show(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Parameters(paramLabel = "WORKER", description = WORKER) String worker) {
    var server = client.open(session);
    var request =
        GetWorkerRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkerId(find(server, worker))
            .build();
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response = server.admin(stub -> stub.getWorker(request));
          return Answer.one(
              response, request.getWorkerId(), look -> WorkerView.text(response, look));
        });
    return ExitCode.OK.number();
  }

  private static String find(Server server, String meant) {
    return Tails.find("worker", meant, () -> allIds(server));
  }

  private static List<String> allIds(Server server) {
    var request =
        ListWorkersRequest.newBuilder().setNamespace(server.namespace()).setPageSize(PAGE);
    var ids = new ArrayList<String>();
    String token;
    do {
      var page = list(server, request);
      page.getWorkersList().forEach(worker -> ids.add(worker.getWorkerId()));
      token = page.getPage().getNextPageToken();
      request.setPageToken(token);
    } while (!token.isEmpty());
    return ids;
  }

  @Command(
      name = "drain",
      description = "Asks a worker to finish what it holds and leave; asks first.",
      footer = "Example: kagzi worker drain 7f3a91bc --reason 'new release' --yes")
  int drain(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "WORKER", description = WORKER) String worker,
      @Option(names = "--force", description = "Takes it offline now; its runs go to others.")
          boolean force) {
    var server = client.open(session);
    var request =
        DrainWorkerRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkerId(find(server, worker))
            .setForce(force)
            .setReason(change.reason())
            .build();
    if (!change.shows(session, "DrainWorker", request)) {
      change.confirm(session, (force ? "take offline worker " : "drain worker ") + worker);
      var response = server.admin(stub -> stub.drainWorker(request));
      output
          .printer(session)
          .print(
              Answer.one(
                  response,
                  request.getWorkerId(),
                  look ->
                      "worker %s is %s and holds %d runs%n"
                          .formatted(
                              Look.shortId(request.getWorkerId()),
                              look.status(response.getWorker().getStatus()),
                              response.getWorker().getActiveCount())));
    }
    return ExitCode.OK.number();
  }
}
