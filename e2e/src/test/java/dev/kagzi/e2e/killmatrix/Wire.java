package dev.kagzi.e2e.killmatrix;

import com.google.protobuf.Duration;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;

/** Messages about a held run as a worker would send them. */
final class Wire {

  private static final int NANOS = 1_000_000;

  private Wire() {}

  static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  static Duration millis(int millis) {
    return Duration.newBuilder().setNanos(millis * NANOS).build();
  }

  static Payload json(String text) {
    return Payload.newBuilder().setJson(text).build();
  }

  static StepAttempt step(String key, StepKind kind) {
    return StepAttempt.newBuilder().setStepKey(key).setKind(kind).setAttempt(1).setSeq(1).build();
  }

  static BeginStepRequest.Builder begin(Task task, String worker) {
    return BeginStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(step("charge", StepKind.STEP_KIND_FUNCTION))
        .setTimeout(seconds(60));
  }

  static CompleteStepRequest.Builder completeStep(Task task, String worker) {
    return CompleteStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(step("charge", StepKind.STEP_KIND_FUNCTION))
        .setOutput(json("1"));
  }

  /** Without this a run that has entered a saga cannot end. */
  static CompleteStepRequest closeSaga(Task task, String worker) {
    return completeStep(task, worker)
        .setStep(step("saga-end", StepKind.STEP_KIND_MARKER))
        .setSagaMarker(SagaMarker.SAGA_MARKER_CLOSE)
        .build();
  }

  static FailStepRequest.Builder failStep(Task task, String worker) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(step("charge", StepKind.STEP_KIND_FUNCTION))
        .setError(ErrorDetail.newBuilder().setMessage("declined"));
  }

  static CompleteWorkflowRequest.Builder complete(Task task, String worker) {
    return CompleteWorkflowRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setOutput(json("1"));
  }

  static FailWorkflowRequest.Builder fail(Task task, String worker) {
    return FailWorkflowRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setError(ErrorDetail.newBuilder().setMessage("declined"));
  }

  static ReleaseTaskRequest.Builder release(Task task, String worker) {
    return ReleaseTaskRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker);
  }

  static SuspendRequest.Builder suspend(Task task, String worker) {
    return SuspendRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker);
  }

  static SuspendRequest.Builder awaitEvent(Task task, String worker) {
    return suspend(task, worker)
        .addWaits(
            Wait.newBuilder()
                .setStep(step("approval", StepKind.STEP_KIND_EVENT))
                .setKind(WaitKind.WAIT_KIND_EVENT)
                .setEventName("approved"))
        .setRelease(true);
  }

  static StartChildRequest.Builder startChild(Task task, String worker) {
    return StartChildRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(step("ship", StepKind.STEP_KIND_CHILD_WORKFLOW))
        .setChild(
            dev.kagzi.v1.RunTemplate.newBuilder()
                .setWorkflowType(task.getWorkflowType())
                .setTaskQueue(task.getTaskQueue()));
  }
}
