package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.QueueView;
import dev.kagzi.sdk.VersionedType;
import dev.kagzi.sdk.WorkerDetails;
import dev.kagzi.sdk.WorkerFilter;
import dev.kagzi.sdk.WorkerView;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerEvent;
import dev.kagzi.v1.WorkerStatus;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a client asks about workers and task queues, in plain values. Thread-safe. */
public final class FleetCalls {

  private static final String STATUS_PREFIX = "WORKER_STATUS_";

  private final AdminCalls admin;
  private final String namespace;

  FleetCalls(AdminCalls admin, String namespace) {
    this.admin = admin;
    this.namespace = namespace;
  }

  /** A page of workers, newest first. */
  public Page<WorkerView> workers(WorkerFilter filter, int size, String token) {
    var request =
        ListWorkersRequest.newBuilder()
            .setNamespace(namespace)
            .setTaskQueue(filter.queue())
            .setPageSize(size)
            .setPageToken(token);
    filter.statuses().stream()
        .sorted()
        .map(status -> WorkerStatus.valueOf(STATUS_PREFIX + status.name()))
        .forEach(request::addStatuses);
    ListWorkersResponse page = admin.call(stub -> stub.listWorkers(request.build()));
    return Pages.of(page.getWorkersList(), FleetCalls::worker, page.getPage());
  }

  /** A worker with its runs and its past. */
  public WorkerDetails worker(String id) {
    var request = GetWorkerRequest.newBuilder().setNamespace(namespace).setWorkerId(id).build();
    GetWorkerResponse wire = admin.call(stub -> stub.getWorker(request));
    return new WorkerDetails(
        worker(wire.getWorker()),
        wire.getRunsList().stream().map(FleetCalls::held).toList(),
        wire.getEventsList().stream().map(FleetCalls::event).toList());
  }

  /** Asks a worker to drain, or takes it offline at once. */
  public WorkerView drain(String id, boolean force, String reason) {
    var request =
        DrainWorkerRequest.newBuilder()
            .setNamespace(namespace)
            .setWorkerId(id)
            .setForce(force)
            .setReason(reason)
            .build();
    return worker(admin.call(stub -> stub.drainWorker(request)).getWorker());
  }

  /** A page of queues by name; all of them where no names are given. */
  public Page<QueueView> queues(Collection<String> names, int size, String token) {
    var request =
        ListQueuesRequest.newBuilder()
            .setNamespace(namespace)
            .addAllTaskQueues(names)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    ListQueuesResponse page = admin.call(stub -> stub.listQueues(request));
    return Pages.of(page.getQueuesList(), FleetCalls::queue, page.getPage());
  }

  private static WorkerView worker(Worker wire) {
    return new WorkerView(
        wire.getWorkerId(),
        wire.getTaskQueue(),
        WireNames.read(wire.getStatus(), STATUS_PREFIX, WorkerView.Status.UNKNOWN),
        WireNames.read(wire.getHealth(), "HEALTH_STATUS_", WorkerView.Health.UNKNOWN),
        types(wire.getWorkflowTypesList()),
        wire.getMaxConcurrent(),
        wire.getActiveCount(),
        wire.getTotalCompleted(),
        wire.getTotalFailed(),
        WireTimes.toInstant(wire.getRegisteredAt()),
        WireTimes.toInstant(wire.getLastHeartbeatAt()),
        wire.hasDeregisteredAt()
            ? Optional.of(WireTimes.toInstant(wire.getDeregisteredAt()))
            : Optional.empty(),
        origin(wire),
        wire.getLabelsMap());
  }

  private static WorkerView.Origin origin(Worker wire) {
    return new WorkerView.Origin(
        wire.getHostname(),
        wire.getPid(),
        wire.getInstanceId(),
        wire.getBuildVersion(),
        (wire.getSdkName() + " " + wire.getSdkVersion()).strip(),
        wire.getRuntime());
  }

  private static WorkerDetails.HeldRun held(WorkflowRun wire) {
    return new WorkerDetails.HeldRun(
        wire.getRunId(),
        new VersionedType(wire.getWorkflowType(), wire.getVersion()),
        wire.getCurrentStepKey());
  }

  private static WorkerDetails.Event event(WorkerEvent wire) {
    return new WorkerDetails.Event(
        WireNames.read(wire.getType(), "WORKER_EVENT_TYPE_", WorkerDetails.Event.Kind.UNKNOWN),
        WireTimes.toInstant(wire.getAt()),
        wire.getMessage());
  }

  private static QueueView queue(Queue wire) {
    return new QueueView(
        wire.getTaskQueue(),
        wire.getReady(),
        wire.hasOldestReadyAt()
            ? Optional.of(WireTimes.toInstant(wire.getOldestReadyAt()))
            : Optional.empty(),
        wire.getRunning(),
        wire.getSleeping(),
        wire.getRetrying(),
        wire.getCountsAreLowerBounds(),
        wire.getWorkersOnline(),
        wire.getSlotsUsed(),
        wire.getSlotsTotal(),
        wire.getStartedPerMinute(),
        wire.getFinishedPerMinute(),
        wire.getFailedPerMinute(),
        types(wire.getUnservedList()));
  }

  private static List<VersionedType> types(List<WorkflowTypeVersion> wire) {
    return wire.stream()
        .map(type -> new VersionedType(type.getWorkflowType(), type.getVersion()))
        .toList();
  }
}
