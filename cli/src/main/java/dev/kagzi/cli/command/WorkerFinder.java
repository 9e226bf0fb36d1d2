package dev.kagzi.cli.command;

import dev.kagzi.cli.client.Server;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.Worker;
import java.util.ArrayList;
import java.util.List;

/** Finds the worker that somebody means: by its id, or the end of it. */
public record WorkerFinder(Server server) {
  private static final int PAGE = 1000;

  /** The id of the worker that is meant; a whole id is not looked up. */
  public String find(String meant) {
    return server.during(
        "looking for worker '%s'".formatted(meant),
        () -> Tails.find(server, "worker", meant, this::allIds));
  }

  private List<String> allIds() {
    var request =
        ListWorkersRequest.newBuilder().setNamespace(server.namespace()).setPageSize(PAGE);
    var ids = new ArrayList<String>();
    String token;
    do {
      var page = server.admin(stub -> stub.listWorkers(request.build()));
      page.getWorkersList().stream().map(Worker::getWorkerId).forEach(ids::add);
      token = page.getPage().getNextPageToken();
      request.setPageToken(token);
    } while (!token.isEmpty());
    return ids;
  }
}
