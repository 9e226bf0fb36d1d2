package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.ListedQueue;
import dev.kagzi.engine.operation.Queues;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.time.Instant;
import java.util.Set;

/** What people ask about task queues. Thread-safe. */
final class QueueCalls {

  private static final int MAX_NAMES = 1000;

  private final Queues queues;

  QueueCalls(Queues queues) {
    this.queues = queues;
  }

  ListQueuesResponse list(ListQueuesRequest request) {
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .require(
                request.getTaskQueuesCount() <= MAX_NAMES,
                "task_queues",
                "has %d entries (expected: at most %d)"
                    .formatted(request.getTaskQueuesCount(), MAX_NAMES))
            .page(request.getPageSize(), request.getPageToken());
    request.getTaskQueuesList().stream()
        .limit(MAX_NAMES)
        .forEach(name -> check.name("task_queues", name));
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    Set<String> only = Set.copyOf(request.getTaskQueuesList());
    Queues.Listed listed =
        queues.list(
            namespace, only, Requests.pageSize(request.getPageSize()), request.getPageToken());
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = queues.count(namespace, only);
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    return ListQueuesResponse.newBuilder()
        .addAllQueues(listed.queues().stream().map(QueueCalls::toWire).toList())
        .setPage(page)
        .build();
  }

  private static Queue toWire(ListedQueue queue) {
    ListedQueue.Runs runs = queue.runs();
    var wire =
        Queue.newBuilder()
            .setTaskQueue(queue.taskQueue())
            .setReady(runs.ready())
            .setRunning(runs.running())
            .setSleeping(runs.sleeping())
            .setRetrying(runs.retrying())
            .setCountsAreLowerBounds(runs.areLowerBounds())
            .setWorkersOnline(queue.crew().online())
            .setSlotsUsed(queue.crew().slotsUsed())
            .setSlotsTotal(queue.crew().slotsTotal())
            .setStartedPerMinute(queue.pace().started())
            .setFinishedPerMinute(queue.pace().finished())
            .setFailedPerMinute(queue.pace().failed());
    runs.unserved()
        .forEach(type ->
            wire.addUnserved(
                WorkflowTypeVersion.newBuilder()
                    .setWorkflowType(type.workflowType())
                    .setVersion(type.version())));
    Instant oldest = runs.oldestReadyAt();
    return oldest == null ? wire.build() : wire.setOldestReadyAt(TimeMapper.toWire(oldest)).build();
  }
}
