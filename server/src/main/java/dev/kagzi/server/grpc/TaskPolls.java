package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Polls of workers, which wait without a thread. Thread-safe. */
final class TaskPolls {

  private static final Logger log = LoggerFactory.getLogger(TaskPolls.class);
  private static final int MAX_TASKS = 1000;

  /** A poll that does not want to wait still has to be looked at once. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(50);

  private final Engine engine;
  private final TaskMapper mapper;
  private final WaitLimit limit;
  private final Executor executor;
  private final Duration longestWait;

  TaskPolls(Engine engine, WaitLimit limit, Executor executor) {
    this.engine = engine;
    this.mapper = new TaskMapper(engine.config().leases().lease());
    this.limit = limit;
    this.executor = executor;
    this.longestWait = engine.config().intervals().pollTimeout();
  }

  /** Reads a request. */
  static Poll.Request checked(PollTaskRequest wire) {
    new Validation()
        .optionalName("namespace", wire.getNamespace())
        .id("worker_id", wire.getWorkerId())
        .optionalName("task_queue", wire.getTaskQueue())
        .types("types", wire.getTypesList())
        .atLeast(0, "max_tasks", wire.getMaxTasks())
        .duration("wait", wire.getWait())
        .optionalId("claim_id", wire.getClaimId())
        .done();
    return new Poll.Request(
        WorkerId.parse(wire.getWorkerId()),
        new QueueKey(
            Requests.namespace(wire.getNamespace()), Requests.taskQueue(wire.getTaskQueue())),
        Requests.types(wire.getTypesList()),
        Math.clamp(wire.getMaxTasks(), 1, MAX_TASKS),
        wire.getClaimId().isEmpty() ? UUID.randomUUID() : UUID.fromString(wire.getClaimId()),
        wire.getClaimId().isEmpty() || wire.getClaimIdIsNew());
  }

  /**
   * Accepts a poll of a worker that its namespace knows.
   *
   * @throws RuntimeException if there is none
   */
  void requireKnown(Poll.Request request) {
    engine.workers().isDraining(request.queue().namespace(), request.worker());
  }

  /**
   * Lets the call wait; it is answered now or later, on any thread.
   *
   * @throws RuntimeException if it cannot wait; then it is not answered
   */
  void start(PollCall call, Poll.Request request, PollTaskRequest wire) {
    Duration wait = Requests.wait(wire.hasWait(), wire.getWait(), longestWait);
    if (engine.workers().isDraining(request.queue().namespace(), request.worker())) {
      call.answer(response(List.of()).toBuilder().setShouldDrain(true).build());
      return;
    }
    limit.enter();
    call.waiting(limit::leave);
    Duration atLeast = wait.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : wait;
    try {
      call.waitsAs(engine.tasks().poll(request, atLeast, call));
    } catch (RuntimeException failure) {
      call.cancel();
      throw failure;
    }
  }

  PollTaskResponse response(List<Task> tasks) {
    Instant now = engine.clock().instant();
    var response = PollTaskResponse.newBuilder().setEngineTime(TimeMapper.toWire(now));
    tasks.forEach(task -> response.addTasks(mapper.toWire(task, now)));
    return response.build();
  }

  /** Returns claims whose reply did not reach the worker. Does not block. */
  void giveBack(PollTaskResponse undelivered) {
    for (dev.kagzi.v1.Task task : undelivered.getTasksList()) {
      executor.execute(() -> giveBack(task));
    }
  }

  private void giveBack(dev.kagzi.v1.Task task) {
    try {
      engine
          .tasks()
          .release(
              new Fence(task.getNamespace(), RunId.parse(task.getRunId()), task.getLeaseEpoch()));
    } catch (RuntimeException failure) {
      log.warn(
          "run {} could not be given back and waits for its lease to end: {}",
          task.getRunId(),
          failure.toString());
    }
  }
}
