package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of a run's history: a settled step with its outcome, or an unsettled one with what a
 * replay must know to go on with it (last attempt, failures so far, the time of its wake-up).
 */
public record RecordedStep(
    String stepKey,
    int seq,
    StepKind kind,
    @Nullable StepStatus status,
    boolean settled,
    int attempt,
    int failures,
    boolean begun,
    int epoch,
    @Nullable Payload output,
    @Nullable Failure error,
    @Nullable Instant wakeAt,
    @Nullable Instant retryAt,
    @Nullable Instant finishedAt,
    StepWait waiting,
    StepTraits traits) {

  /** The same, with what a reader wants to know besides. */
  public RecordedStep with(StepTraits more) {
    return new RecordedStep(
        stepKey,
        seq,
        kind,
        status,
        settled,
        attempt,
        failures,
        begun,
        epoch,
        output,
        error,
        wakeAt,
        retryAt,
        finishedAt,
        waiting,
        more);
  }

  /**
   * Whether this is what an attempt under an epoch wrote, so that its repetition can be told. The
   * end it reports must be the same: others may have interrupted or cancelled that attempt.
   */
  public boolean wasWrittenBy(int attempt, int epoch, StepStatus end) {
    return this.attempt == attempt && this.epoch == epoch && status == end;
  }
}
