package dev.kagzi.server.grpc;

import dev.kagzi.core.Names;
import dev.kagzi.core.Payload;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.WorkerStore;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeldRun;
import dev.kagzi.v1.Limits;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.RunStop;
import dev.kagzi.v1.StopReason;
import dev.kagzi.v1.WorkerNews;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Workers, their heartbeats and what they are told, between the wire and the engine. */
final class WorkerMapper {

  static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

  private static final int DEFAULT_CONCURRENT = 100;
  private static final int MAX_CONCURRENT = 10_000;
  private static final int MAX_PAGE_SIZE = 1000;

  private WorkerMapper() {}

  static Limits limits(EngineConfig.Steps steps) {
    return Limits.newBuilder()
        .setMaxPayloadBytes(Payload.MAX_BYTES)
        .setWarnPayloadBytes(Payload.MAX_BYTES / 2)
        .setMaxMessageBytes(MAX_MESSAGE_BYTES)
        .setMaxNameLength(Names.MAX_LENGTH)
        .setMaxPageSize(MAX_PAGE_SIZE)
        .setWarnSteps(steps.warn())
        .setMaxSteps(steps.most())
        .build();
  }

  static WorkerRegistration registration(RegisterRequest wire, @Nullable UUID home) {
    check(wire);
    return new WorkerRegistration(
        new QueueKey(
            Requests.namespace(wire.getNamespace()), Requests.taskQueue(wire.getTaskQueue())),
        Requests.types(wire.getTypesList()),
        wire.getMaxConcurrent() == 0 ? DEFAULT_CONCURRENT : wire.getMaxConcurrent(),
        new WorkerRegistration.Location(
            wire.getHostname(), wire.getPid(), wire.getInstanceId(), home),
        new WorkerRegistration.Software(
            wire.getBuildVersion(), wire.getSdkName(), wire.getSdkVersion(), wire.getRuntime()),
        wire.getLabelsMap());
  }

  private static void check(RegisterRequest wire) {
    new Validation()
        .optionalName("namespace", wire.getNamespace())
        .optionalName("task_queue", wire.getTaskQueue())
        .types("types", wire.getTypesList())
        .atLeast(0, "max_concurrent", wire.getMaxConcurrent())
        .require(
            wire.getMaxConcurrent() <= MAX_CONCURRENT,
            "max_concurrent",
            "is %d (expected: at most %d)".formatted(wire.getMaxConcurrent(), MAX_CONCURRENT))
        .optionalName("hostname", wire.getHostname())
        .atLeast(0, "pid", wire.getPid())
        .optionalName("instance_id", wire.getInstanceId())
        .optionalName("build_version", wire.getBuildVersion())
        .optionalName("sdk_name", wire.getSdkName())
        .optionalName("sdk_version", wire.getSdkVersion())
        .optionalName("runtime", wire.getRuntime())
        .labels("labels", wire.getLabelsMap())
        .done();
  }

  static Heartbeat heartbeat(HeartbeatRequest wire) {
    check(wire);
    WorkerId worker = WorkerId.parse(wire.getWorkerId());
    List<LeaseStore.Held> held =
        wire.getRunsList().stream()
            .map(run ->
                new LeaseStore.Held(worker, RunId.parse(run.getRunId()), run.getLeaseEpoch()))
            .distinct()
            .toList();
    return new Heartbeat(
        new WorkerStore.Beat(
            Requests.namespace(wire.getNamespace()),
            worker,
            wire.getBeatId(),
            wire.getActiveCount(),
            wire.getCompletedDelta(),
            wire.getFailedDelta()),
        held);
  }

  private static void check(HeartbeatRequest wire) {
    var check =
        new Validation()
            .optionalName("namespace", wire.getNamespace())
            .id("worker_id", wire.getWorkerId())
            .atLeast(0, "active_count", wire.getActiveCount())
            .atLeast(0, "completed_delta", wire.getCompletedDelta())
            .atLeast(0, "failed_delta", wire.getFailedDelta())
            .require(
                wire.getRunsCount() <= MAX_CONCURRENT,
                "runs",
                "has %d entries (expected: at most %d)"
                    .formatted(wire.getRunsCount(), MAX_CONCURRENT));
    for (int i = 0; i < Math.min(wire.getRunsCount(), MAX_CONCURRENT); i++) {
      check.id("runs[%d].run_id".formatted(i), wire.getRuns(i).getRunId());
    }
    check.done();
  }

  static WorkerNews news(HeartbeatBatch.Reply reply) {
    var news = WorkerNews.newBuilder();
    for (LeaseStore.Held lost : reply.lost()) {
      RunStatus end = reply.ended().get(lost.runId());
      if (end != null) {
        news.addStops(stop(lost, stopReason(end)));
      }
      news.addLostRuns(
          HeldRun.newBuilder().setRunId(lost.runId().toString()).setLeaseEpoch(lost.epoch()));
    }
    reply
        .stops()
        .forEach((held, request) ->
            news.addStops(
                stop(held, StopReason.STOP_REASON_STOP_REQUESTED)
                    .setStopRequested(StepMapper.toWire(request))));
    return news.build();
  }

  private static RunStop.Builder stop(LeaseStore.Held run, StopReason reason) {
    return RunStop.newBuilder()
        .setRunId(run.runId().toString())
        .setLeaseEpoch(run.epoch())
        .setReason(reason);
  }

  private static StopReason stopReason(RunStatus end) {
    return switch (end) {
      case CANCELLED -> StopReason.STOP_REASON_CANCELLED;
      case TIMED_OUT -> StopReason.STOP_REASON_TIMED_OUT;
      default -> StopReason.STOP_REASON_TERMINAL;
    };
  }
}
