package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import org.jspecify.annotations.Nullable;

/**
 * A run as a client sees it.
 *
 * @param runId the run
 * @param status its state
 * @param output what it returned, if it has completed
 * @param errorType the class name of what ended it, or empty
 * @param errorMessage what ended it in words, or empty
 * @param failedStep the key of the step that ended it, if one did
 */
public record RunView(
    String runId,
    RunStatus status,
    @Nullable Payload output,
    String errorType,
    String errorMessage,
    @Nullable String failedStep) {

  static RunView of(WorkflowRun run) {
    String failedStep = run.getFailedStepKey();
    return new RunView(
        run.getRunId(),
        status(run.getStatus()),
        output(run),
        run.getError().getType(),
        run.getError().getMessage(),
        failedStep.isEmpty() ? null : failedStep);
  }

  private static @Nullable Payload output(WorkflowRun run) {
    Payload output = WirePayloads.fromWire(run.getOutput());
    return WirePayloads.isAbsent(output) ? null : output;
  }

  static RunStatus status(WorkflowStatus status) {
    return switch (status) {
      case WORKFLOW_STATUS_PENDING -> RunStatus.PENDING;
      case WORKFLOW_STATUS_RUNNING -> RunStatus.RUNNING;
      case WORKFLOW_STATUS_SLEEPING -> RunStatus.SLEEPING;
      case WORKFLOW_STATUS_COMPLETED -> RunStatus.COMPLETED;
      case WORKFLOW_STATUS_FAILED -> RunStatus.FAILED;
      case WORKFLOW_STATUS_CANCELLED -> RunStatus.CANCELLED;
      case WORKFLOW_STATUS_TIMED_OUT -> RunStatus.TIMED_OUT;
      case WORKFLOW_STATUS_SCHEDULED,
          WORKFLOW_STATUS_PAUSED,
          WORKFLOW_STATUS_UNSPECIFIED,
          UNRECOGNIZED ->
          throw new IllegalStateException("status: " + status + " (expected: that of a run)");
    };
  }
}
