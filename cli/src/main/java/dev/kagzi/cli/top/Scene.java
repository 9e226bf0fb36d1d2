package dev.kagzi.cli.top;

import com.google.protobuf.Duration;
import dev.kagzi.cli.client.Server;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;

/**
 * What there is to see of a namespace at one moment. Immutable.
 *
 * @param failing the newest runs that failed
 */
record Scene(
    GetServerInfoResponse info,
    GetStatsResponse stats,
    List<Queue> queues,
    List<Worker> workers,
    List<WorkflowRun> failing) {
  private static final int QUEUES = 200;
  private static final int WORKERS = 200;
  private static final int FAILING = 8;
  private static final long WINDOW_SECONDS = 300;

  Scene {
    queues = List.copyOf(queues);
    workers = List.copyOf(workers);
    failing = List.copyOf(failing);
  }

  static Scene of(Server server) {
    var info = server.admin(stub -> stub.getServerInfo(GetServerInfoRequest.getDefaultInstance()));
    var stats =
        GetStatsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWindow(Duration.newBuilder().setSeconds(WINDOW_SECONDS))
            .build();
    var queues =
        ListQueuesRequest.newBuilder().setNamespace(server.namespace()).setPageSize(QUEUES).build();
    var workers =
        ListWorkersRequest.newBuilder()
            .setNamespace(server.namespace())
            .addStatuses(WorkerStatus.WORKER_STATUS_ONLINE)
            .addStatuses(WorkerStatus.WORKER_STATUS_DRAINING)
            .setPageSize(WORKERS)
            .build();
    var failing =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setFilter(
                WorkflowFilter.newBuilder().addStatuses(WorkflowStatus.WORKFLOW_STATUS_FAILED))
            .setPageSize(FAILING)
            .build();
    return new Scene(
        info,
        server.admin(stub -> stub.getStats(stats)),
        server.admin(stub -> stub.listQueues(queues)).getQueuesList(),
        server.admin(stub -> stub.listWorkers(workers)).getWorkersList(),
        server.workflows(stub -> stub.listWorkflows(failing)).getRunsList());
  }
}
