package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/**
 * The end of a wait by what it waited for; a timeout is not one.
 *
 * @param child the child that ended; null if the wait is for something else or names it itself
 */
public record EndedWait(
    RunId runId,
    String stepKey,
    StepStatus status,
    @Nullable Payload output,
    @Nullable Failure error,
    @Nullable RunId child) {

  /** An event has come. */
  public static EndedWait by(RunId runId, String stepKey, @Nullable Payload event) {
    return new EndedWait(runId, stepKey, StepStatus.COMPLETED, event, null, null);
  }

  /** A child has ended, with a result or an error. */
  public static EndedWait by(
      RunId runId,
      String stepKey,
      @Nullable RunId child,
      @Nullable Payload output,
      @Nullable Failure error) {
    StepStatus status = error == null ? StepStatus.COMPLETED : StepStatus.FAILED;
    return new EndedWait(runId, stepKey, status, output, error, child);
  }

  /** All children of a step have ended. */
  public static EndedWait byAll(RunId runId, String stepKey) {
    return new EndedWait(runId, stepKey, StepStatus.COMPLETED, null, null, null);
  }
}
