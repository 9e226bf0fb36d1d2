package dev.kagzi.server.grpc;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.TimeoutConfig;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs as the wire shows them. */
final class RunMapper {

  private RunMapper() {}

  /**
   * Input and output together stay under this, so that no message exceeds its limit with the rest
   * of the run in it.
   */
  static final int MAX_PAYLOAD_BYTES = WorkerMapper.MAX_MESSAGE_BYTES - 256 * 1024;

  static WorkflowRun toWire(Run run, RunPayloads payloads) {
    RunTarget target = run.target();
    var wire =
        WorkflowRun.newBuilder()
            .setRunId(run.runId().toString())
            .setNamespace(target.namespace())
            .setTaskQueue(target.taskQueue())
            .setWorkflowType(target.workflowType())
            .setVersion(target.version())
            .setStatus(toWire(run.status()))
            .setWaitReason(waitReason(run.waitReason()))
            .setAttempts(run.failures() + 1)
            .setFailures(run.failures())
            .setCrashes(run.crashes())
            .setRetries(run.retries())
            .setLeaseEpoch(run.epoch())
            .putAllLabels(run.labels());
    ifPresent(run.externalId(), wire::setExternalId);
    ifPresent(run.traceparent(), wire::setTraceparent);
    StopRequest stop = run.stop();
    if (stop != null) {
      wire.setStopRequested(StepMapper.toWire(stop));
    }
    putLineage(wire, run.lineage());
    putPolicies(wire, run.policies());
    WorkerId worker = run.worker();
    if (worker != null) {
      wire.setWorkerId(worker.toString());
    }
    putTimes(wire, run);
    putPayloads(wire, run, payloads);
    putError(wire, run);
    return wire.build();
  }

  /** A run with how far it has come. A run that has failed shows the step that it failed at. */
  static WorkflowRun toWire(Run run, Workflows.Details details) {
    var wire =
        toWire(run, details.payloads()).toBuilder()
            .setSettledSteps(details.progress().settledSteps());
    Run.Ending ending = run.ending();
    if (ending == null) {
      ifPresent(details.progress().currentStep(), wire::setCurrentStepKey);
    } else if (run.status() == RunStatus.FAILED) {
      ifPresent(ending.failedStepKey(), wire::setCurrentStepKey);
    }
    return wire.build();
  }

  private static void putLineage(WorkflowRun.Builder wire, Run.Lineage lineage) {
    ifRun(lineage.forkedFrom(), wire::setForkedFromRunId);
    ifRun(lineage.handlerFor(), wire::setHandlerForRunId);
    ifRun(lineage.parent(), wire::setParentRunId);
    ifPresent(lineage.parentStepKey(), wire::setParentStepKey);
    ifRun(lineage.continuedFrom(), wire::setContinuedFromRunId);
    ifRun(lineage.continuedAs(), wire::setContinuedAsRunId);
    ifRun(lineage.schedule(), wire::setScheduleId);
    ifMoment(lineage.fireAt(), moment -> wire.setFireAt(TimeMapper.toWire(moment)));
  }

  private static void ifRun(@Nullable RunId runId, Consumer<String> setter) {
    if (runId != null) {
      setter.accept(runId.toString());
    }
  }

  private static void putPolicies(WorkflowRun.Builder wire, RunPolicies policies) {
    PartialRetryPolicy retry = policies.retry();
    if (retry != null) {
      wire.setRetryPolicy(RetryPolicyMapper.toWire(retry));
    }
    ifPresent(policies.onFailureWorkflow(), wire::setOnFailureWorkflow);
    ifPresent(policies.onFailureQueue(), wire::setOnFailureTaskQueue);
    TimeoutConfig given = timeouts(policies);
    if (!given.equals(TimeoutConfig.getDefaultInstance())) {
      wire.setTimeouts(given);
    }
  }

  static TimeoutConfig timeouts(RunPolicies policies) {
    var timeouts = TimeoutConfig.newBuilder();
    ifDuration(policies.stepTimeout(), timeouts::setStartToCloseTimeout);
    ifDuration(policies.lease(), timeouts::setHeartbeatTimeout);
    ifDuration(policies.executionTimeout(), timeouts::setExecutionTimeout);
    return timeouts.build();
  }

  private static void ifDuration(
      @Nullable Duration duration, Consumer<com.google.protobuf.Duration> setter) {
    if (duration != null) {
      setter.accept(TimeMapper.toWire(duration));
    }
  }

  /** A run in a list, where a page of long errors would not fit into a message. */
  static WorkflowRun toRow(Run run, RunPayloads payloads) {
    WorkflowRun whole = toWire(run, payloads);
    Failure error = run.error();
    return error == null
        ? whole
        : whole.toBuilder().setError(FailureMapper.headline(error)).build();
  }

  private static void putTimes(WorkflowRun.Builder wire, Run run) {
    Run.Times times = run.times();
    wire.setCreatedAt(TimeMapper.toWire(times.createdAt()));
    ifMoment(run.availableAt(), moment -> wire.setAvailableAt(TimeMapper.toWire(moment)));
    ifMoment(times.startedAt(), moment -> wire.setStartedAt(TimeMapper.toWire(moment)));
    ifMoment(times.finishedAt(), moment -> wire.setFinishedAt(TimeMapper.toWire(moment)));
    ifMoment(times.deadlineAt(), moment -> wire.setDeadlineAt(TimeMapper.toWire(moment)));
  }

  private static void putPayloads(WorkflowRun.Builder wire, Run run, RunPayloads payloads) {
    wire.setInputBytes(payloads.inputBytes());
    Payload input = payloads.input();
    if (input != null && payloads.bytes() <= MAX_PAYLOAD_BYTES) {
      wire.setInput(PayloadMapper.toWire(input));
    }
    // A run that ended after it was read is shown as it was then.
    if (run.status().isTerminal()) {
      wire.setOutputBytes(payloads.outputBytes());
      Payload output = payloads.output();
      if (output != null) {
        wire.setOutput(PayloadMapper.toWire(output));
      }
    }
  }

  private static void putError(WorkflowRun.Builder wire, Run run) {
    Failure error = run.error();
    Run.Ending ending = run.ending();
    if (error != null) {
      wire.setError(FailureMapper.toWire(error));
    } else if (ending != null) {
      ifPresent(ending.reason(), reason -> wire.setError(stopped(reason)));
    }
    if (ending != null) {
      ifPresent(ending.failedStepKey(), wire::setFailedStepKey);
    }
  }

  private static ErrorDetail stopped(String reason) {
    return ErrorDetail.newBuilder()
        .setKind(ErrorKind.ERROR_KIND_CANCELLED)
        .setMessage(reason)
        .build();
  }

  static WorkflowStatus toWire(RunStatus status) {
    return switch (status) {
      case PENDING -> WorkflowStatus.WORKFLOW_STATUS_PENDING;
      case RUNNING -> WorkflowStatus.WORKFLOW_STATUS_RUNNING;
      case SLEEPING -> WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
      case COMPLETED -> WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
      case FAILED -> WorkflowStatus.WORKFLOW_STATUS_FAILED;
      case CANCELLED -> WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
      case SCHEDULED -> WorkflowStatus.WORKFLOW_STATUS_SCHEDULED;
      case PAUSED -> WorkflowStatus.WORKFLOW_STATUS_PAUSED;
      case TIMED_OUT -> WorkflowStatus.WORKFLOW_STATUS_TIMED_OUT;
    };
  }

  private static WaitReason waitReason(@Nullable String reason) {
    return switch (reason) {
      case "RETRY" -> WaitReason.WAIT_REASON_RETRY;
      case "SLEEP" -> WaitReason.WAIT_REASON_SLEEP;
      case "CHILD" -> WaitReason.WAIT_REASON_CHILD;
      case "EVENT" -> WaitReason.WAIT_REASON_EVENT;
      case "NON_DETERMINISM" -> WaitReason.WAIT_REASON_NON_DETERMINISM;
      case "LIMIT" -> WaitReason.WAIT_REASON_LIMIT;
      case "PAUSED" -> WaitReason.WAIT_REASON_PAUSED;
      case null, default -> WaitReason.WAIT_REASON_UNSPECIFIED;
    };
  }

  private static void ifPresent(@Nullable String text, Consumer<String> setter) {
    if (text != null) {
      setter.accept(text);
    }
  }

  private static void ifMoment(@Nullable Instant moment, Consumer<Instant> setter) {
    if (moment != null) {
      setter.accept(moment);
    }
  }
}
