package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.ListedWorker;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerPatience;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.domain.WorkerStatus;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.WorkerLists;
import dev.kagzi.engine.operation.Workers;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.DrainWorkerResponse;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerEvent;
import dev.kagzi.v1.WorkerEventType;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.UUID;

/** What people ask about workers, and ask of them. Thread-safe. */
final class WorkerListCalls {

  private static final String STATUS_PREFIX = "WORKER_STATUS_";
  private static final String EVENT_PREFIX = "WORKER_EVENT_TYPE_";

  /** Well below what a message may hold. */
  private static final int MAX_RUNS_BYTES = 3 * 1024 * 1024;

  private final WorkerLists lists;
  private final Workers workers;
  private final InstantSource clock;
  private final WorkerPatience patience;

  WorkerListCalls(Engine engine) {
    this.lists = engine.workerLists();
    this.workers = engine.workers();
    this.clock = engine.clock();
    this.patience = engine.config().patience();
  }

  ListWorkersResponse list(ListWorkersRequest request) {
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .optionalName("task_queue", request.getTaskQueue())
            .page(request.getPageSize(), request.getPageToken());
    request.getStatusesList().forEach(status -> check.known("statuses", status));
    check.done();
    WorkerLists.Wish wish = wish(request);
    WorkerLists.Listed listed =
        lists.list(wish, Requests.pageSize(request.getPageSize()), request.getPageToken());
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = lists.count(wish);
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    Instant now = clock.instant();
    var response = ListWorkersResponse.newBuilder().setPage(page);
    listed.workers().forEach(worker -> response.addWorkers(toWire(worker, now)));
    return response.build();
  }

  private static WorkerLists.Wish wish(ListWorkersRequest request) {
    var statuses = EnumSet.noneOf(WorkerStatus.class);
    request
        .getStatusesList()
        .forEach(status ->
            statuses.add(WorkerStatus.valueOf(status.name().substring(STATUS_PREFIX.length()))));
    String queue = request.getTaskQueue();
    return new WorkerLists.Wish(
        Requests.namespace(request.getNamespace()), queue.isEmpty() ? null : queue, statuses);
  }

  GetWorkerResponse get(GetWorkerRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("worker_id", request.getWorkerId())
        .done();
    WorkerLists.Portrait portrait =
        lists.get(
            Requests.namespace(request.getNamespace()), WorkerId.parse(request.getWorkerId()));
    var response =
        GetWorkerResponse.newBuilder().setWorker(toWire(portrait.worker(), clock.instant()));
    int bytes = 0;
    for (Run run : portrait.runs()) {
      WorkflowRun row = RunMapper.toRow(run, RunPayloads.NONE);
      bytes += row.getSerializedSize();
      if (bytes > MAX_RUNS_BYTES) {
        break;
      }
      response.addRuns(row);
    }
    portrait.events().forEach(event -> response.addEvents(toWire(event)));
    return response.build();
  }

  DrainWorkerResponse drain(DrainWorkerRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("worker_id", request.getWorkerId())
        .remark("reason", request.getReason())
        .done();
    String namespace = Requests.namespace(request.getNamespace());
    WorkerId worker = WorkerId.parse(request.getWorkerId());
    String reason =
        request.getReason().isEmpty() ? "asked by an operator" : "operator: " + request.getReason();
    if (request.getForce()) {
      workers.takeOffline(namespace, worker, reason);
    } else {
      workers.drain(namespace, worker, reason);
    }
    return DrainWorkerResponse.newBuilder()
        .setWorker(toWire(lists.find(namespace, worker), clock.instant()))
        .build();
  }

  private Worker toWire(ListedWorker worker, Instant now) {
    WorkerRegistration said = worker.registration();
    var wire =
        Worker.newBuilder()
            .setWorkerId(worker.workerId().toString())
            .setNamespace(said.queue().namespace())
            .setTaskQueue(said.queue().taskQueue())
            .setStatus(dev.kagzi.v1.WorkerStatus.valueOf(STATUS_PREFIX + worker.status()))
            .setMaxConcurrent(said.maxConcurrent())
            .setActiveCount(worker.tally().active())
            .setTotalCompleted(worker.tally().completed())
            .setTotalFailed(worker.tally().failed())
            .setRegisteredAt(TimeMapper.toWire(worker.registeredAt()))
            .setLastHeartbeatAt(TimeMapper.toWire(worker.lastHeartbeatAt()))
            .setHealth(HealthMapper.toWire(worker.healthAt(now, patience)))
            .putAllLabels(said.labels());
    putBadge(wire, said);
    said.types()
        .forEach(type ->
            wire.addWorkflowTypes(
                WorkflowTypeVersion.newBuilder()
                    .setWorkflowType(type.workflowType())
                    .setVersion(type.version())));
    Instant left = worker.deregisteredAt();
    return left == null ? wire.build() : wire.setDeregisteredAt(TimeMapper.toWire(left)).build();
  }

  private static void putBadge(Worker.Builder wire, WorkerRegistration said) {
    wire.setHostname(said.location().hostname())
        .setPid(said.location().pid())
        .setInstanceId(said.location().instanceId())
        .setBuildVersion(said.software().buildVersion())
        .setSdkName(said.software().sdkName())
        .setSdkVersion(said.software().sdkVersion())
        .setRuntime(said.software().runtime());
    UUID node = said.location().node();
    if (node != null) {
      wire.setNodeId(node.toString());
    }
  }

  private static WorkerEvent toWire(ListedWorker.Event event) {
    return WorkerEvent.newBuilder()
        .setType(WorkerEventType.valueOf(EVENT_PREFIX + event.type()))
        .setAt(TimeMapper.toWire(event.at()))
        .setMessage(event.reason())
        .build();
  }
}
