package dev.kagzi.server.grpc;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.v1.HistoryItem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Claimed runs as the wire hands them over. */
final class TaskMapper {

  /** Run and history together stay under this, so that no message exceeds its limit. */
  private static final int MAX_BYTES = 3 * 1024 * 1024;

  private final Duration lease;

  TaskMapper(Duration lease) {
    this.lease = lease;
  }

  dev.kagzi.v1.Task toWire(Task task, Instant now) {
    Task.Claim claim = task.claim();
    RunTarget target = claim.target();
    var wire =
        dev.kagzi.v1.Task.newBuilder()
            .setRunId(claim.runId().toString())
            .setLeaseEpoch(claim.epoch())
            .setNamespace(target.namespace())
            .setWorkflowType(target.workflowType())
            .setVersion(target.version())
            .setTaskQueue(target.taskQueue())
            .setInput(PayloadMapper.toWire(task.input()))
            .setEngineTime(TimeMapper.toWire(now))
            .setLeaseUntil(TimeMapper.toWire(claim.leaseUntil()))
            .setCreatedAt(TimeMapper.toWire(claim.createdAt()))
            .setAttempts(claim.failures() + 1)
            .putAllLabels(claim.labels());
    putOptional(wire, claim);
    putPolicies(wire, claim.policies());
    putHistory(wire, task);
    return wire.build();
  }

  private static void putOptional(dev.kagzi.v1.Task.Builder wire, Task.Claim claim) {
    String externalId = claim.externalId();
    if (externalId != null) {
      wire.setExternalId(externalId);
    }
    String traceparent = claim.traceparent();
    if (traceparent != null) {
      wire.setTraceparent(traceparent);
    }
    Instant deadline = claim.deadlineAt();
    if (deadline != null) {
      wire.setDeadlineAt(TimeMapper.toWire(deadline));
    }
    RunId handlerFor = claim.handlerFor();
    if (handlerFor != null) {
      wire.setHandlerForRunId(handlerFor.toString());
    }
    RunId parent = claim.parent();
    if (parent != null) {
      wire.setParentRunId(parent.toString());
    }
    String parentStepKey = claim.parentStepKey();
    if (parentStepKey != null) {
      wire.setParentStepKey(parentStepKey);
    }
    StartRequest.Firing firing = claim.firing();
    if (firing != null) {
      wire.setScheduleId(firing.scheduleId().toString())
          .setFireAt(TimeMapper.toWire(firing.fireAt()));
    }
    RunId continuedFrom = claim.continuedFrom();
    if (continuedFrom != null) {
      wire.setContinuedFromRunId(continuedFrom.toString());
    }
    StopRequest stop = claim.stop();
    if (stop != null) {
      wire.setStopRequested(StepMapper.toWire(stop));
    }
  }

  private void putPolicies(dev.kagzi.v1.Task.Builder wire, RunPolicies policies) {
    Duration own = policies.lease();
    wire.setLeaseDuration(TimeMapper.toWire(own == null ? lease : own));
    PartialRetryPolicy retry = policies.retry();
    if (retry != null) {
      wire.setRetryPolicy(RetryPolicyMapper.toWire(retry));
    }
    Duration stepTimeout = policies.stepTimeout();
    if (stepTimeout != null) {
      wire.setStepTimeout(TimeMapper.toWire(stepTimeout));
    }
  }

  private static void putHistory(dev.kagzi.v1.Task.Builder wire, Task task) {
    List<HistoryItem> page = task.history().stream().map(StepMapper::toWire).toList();
    int bytes = task.input().size();
    for (HistoryItem item : page) {
      bytes += item.getSerializedSize();
    }
    if (bytes > MAX_BYTES) {
      wire.setHistoryNextPageToken(HistoryPage.Position.START.token());
      return;
    }
    wire.addAllHistory(page);
    task.firstPage().next().ifPresent(next -> wire.setHistoryNextPageToken(next.token()));
  }
}
