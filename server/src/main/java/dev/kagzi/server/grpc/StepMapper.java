package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.StepWait;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.StopRequest;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps between the wire and the engine. */
final class StepMapper {

  private StepMapper() {}

  static StepResult toResult(CompleteStepRequest request) {
    StepAttempt wire = request.getStep();
    return new StepResult(
        wire.getStepKey(),
        wire.getAttempt(),
        wire.getSeq(),
        toKind(wire.getKind()),
        PayloadMapper.fromWire(request.getOutput()),
        wire.hasStartedAt() ? TimeMapper.toInstant(wire.getStartedAt()) : null,
        traits(wire),
        saga(request.getSagaMarker()));
  }

  static List<CancelledStep> toCancelled(List<StepAttempt> steps) {
    return steps.stream()
        .map(step ->
            new CancelledStep(
                step.getStepKey(),
                step.getSeq(),
                toKind(step.getKind()),
                step.hasStartedAt() ? TimeMapper.toInstant(step.getStartedAt()) : null,
                traits(step)))
        .toList();
  }

  static StepTraits traits(StepAttempt wire) {
    return new StepTraits(
        orNull(wire.getParallelGroupId()),
        orNull(wire.getParentStepId()),
        wire.getQuiet(),
        wire.getCompensation(),
        wire.hasInput() ? PayloadMapper.fromWire(wire.getInput()) : null);
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static SagaMarker saga(dev.kagzi.v1.SagaMarker wire) {
    return switch (wire) {
      case SAGA_MARKER_OPEN -> SagaMarker.OPEN;
      case SAGA_MARKER_CLOSE -> SagaMarker.CLOSE;
      case SAGA_MARKER_UNSPECIFIED, UNRECOGNIZED -> SagaMarker.NONE;
    };
  }

  static StopRequest toWire(dev.kagzi.engine.domain.StopRequest stop) {
    return StopRequest.newBuilder()
        .setKind(
            switch (stop.kind()) {
              case CANCEL -> StopKind.STOP_KIND_CANCEL;
              case TIMEOUT -> StopKind.STOP_KIND_TIMEOUT;
            })
        .setReason(stop.reason())
        .setRequestedAt(TimeMapper.toWire(stop.requestedAt()))
        .setCompensateUntil(TimeMapper.toWire(stop.compensateUntil()))
        .build();
  }

  static StepFailure toFailure(FailStepRequest wire, RetryPolicy defaultRetry) {
    StepAttempt step = wire.getStep();
    return new StepFailure(
        step.getStepKey(),
        step.getAttempt(),
        step.getSeq(),
        toKind(step.getKind()),
        step.hasStartedAt() ? TimeMapper.toInstant(step.getStartedAt()) : null,
        FailureMapper.fromWire(wire.getError()),
        RetryPolicyMapper.partial(wire.getRetryPolicy()).over(defaultRetry),
        wire.getNonRetryable(),
        wire.hasRetryAfter() ? TimeMapper.toDuration(wire.getRetryAfter()) : null,
        traits(step));
  }

  /** The step as its last failure has settled it. */
  static HistoryItem settledBy(StepFailure failure) {
    return HistoryItem.newBuilder()
        .setStepKey(failure.stepKey())
        .setKind(toWire(failure.kind()))
        .setStatus(StepStatus.STEP_STATUS_FAILED)
        .setAttempt(failure.attempt())
        .setSettled(true)
        .setSeq(failure.seq())
        .setError(FailureMapper.toWire(failure.error()))
        .build();
  }

  static HistoryItem toWire(RecordedStep step) {
    var wire =
        HistoryItem.newBuilder()
            .setStepKey(step.stepKey())
            .setKind(toWire(step.kind()))
            .setStatus(status(step))
            .setAttempt(step.attempt())
            .setFailures(step.failures())
            .setBegun(step.begun())
            .setSettled(step.settled())
            .setSeq(step.seq());
    putOutcome(wire, step);
    Instant wakeAt = step.wakeAt();
    if (wakeAt != null) {
      wire.setWakeAt(TimeMapper.toWire(wakeAt));
    }
    Instant retryAt = step.retryAt();
    if (retryAt != null) {
      wire.setRetryAt(TimeMapper.toWire(retryAt));
    }
    Instant finishedAt = step.finishedAt();
    if (finishedAt != null) {
      wire.setFinishedAt(TimeMapper.toWire(finishedAt));
    }
    putWait(wire, step.waiting());
    putIfGiven(step.traits().parallelGroup(), wire::setParallelGroupId);
    putIfGiven(step.traits().parentStep(), wire::setParentStepId);
    return wire.build();
  }

  private static void putWait(HistoryItem.Builder wire, StepWait waited) {
    wire.setTimedOut(waited.timedOut());
    Instant timeoutAt = waited.timeoutAt();
    if (timeoutAt != null) {
      wire.setTimeoutAt(TimeMapper.toWire(timeoutAt));
    }
    putIfGiven(waited.eventName(), wire::setEventName);
    RunId child = waited.child();
    putIfGiven(child == null ? null : child.toString(), wire::setChildRunId);
  }

  private static void putIfGiven(@Nullable String text, Consumer<String> field) {
    if (text != null) {
      field.accept(text);
    }
  }

  private static void putOutcome(HistoryItem.Builder wire, RecordedStep step) {
    Failure error = step.error();
    Payload output = step.output();
    if (error != null) {
      wire.setError(FailureMapper.toWire(error));
    } else if (output != null) {
      wire.setOutput(PayloadMapper.toWire(output));
    }
  }

  private static StepStatus status(RecordedStep step) {
    var status = step.status();
    if (status == null) {
      boolean open = step.begun() || step.waiting().open();
      return open ? StepStatus.STEP_STATUS_RUNNING : StepStatus.STEP_STATUS_PENDING;
    }
    return switch (status) {
      case COMPLETED -> StepStatus.STEP_STATUS_COMPLETED;
      case FAILED -> StepStatus.STEP_STATUS_FAILED;
      case CANCELLED -> StepStatus.STEP_STATUS_CANCELLED;
      case INTERRUPTED -> StepStatus.STEP_STATUS_INTERRUPTED;
    };
  }

  private static dev.kagzi.v1.StepKind toWire(StepKind kind) {
    return switch (kind) {
      case FUNCTION -> dev.kagzi.v1.StepKind.STEP_KIND_FUNCTION;
      case SLEEP -> dev.kagzi.v1.StepKind.STEP_KIND_SLEEP;
      case CHILD_WORKFLOW -> dev.kagzi.v1.StepKind.STEP_KIND_CHILD_WORKFLOW;
      case EVENT -> dev.kagzi.v1.StepKind.STEP_KIND_EVENT;
      case MARKER -> dev.kagzi.v1.StepKind.STEP_KIND_MARKER;
    };
  }

  /** The kind of a step whose request was checked, so that it has one. */
  static StepKind toKind(dev.kagzi.v1.StepKind wire) {
    return switch (wire) {
      case STEP_KIND_FUNCTION -> StepKind.FUNCTION;
      case STEP_KIND_SLEEP -> StepKind.SLEEP;
      case STEP_KIND_CHILD_WORKFLOW -> StepKind.CHILD_WORKFLOW;
      case STEP_KIND_EVENT -> StepKind.EVENT;
      case STEP_KIND_MARKER -> StepKind.MARKER;
      case STEP_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("kind: " + wire + " (expected: a known kind)");
    };
  }
}
