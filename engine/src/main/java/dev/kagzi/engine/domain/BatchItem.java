package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One run of a batch.
 *
 * @param reason why nothing was done, as a program reads it
 * @param message the same as a person reads it
 */
public record BatchItem(
    RunId runId,
    Status status,
    @Nullable String reason,
    @Nullable String message,
    @Nullable Instant finishedAt) {

  /** What became of the run. */
  public enum Status {
    PENDING,
    SUCCEEDED,
    /** Refused. */
    FAILED,
    /** There was nothing to do. */
    SKIPPED
  }

  /** Done as asked. */
  public static BatchItem succeeded(RunId runId, Instant now) {
    return new BatchItem(runId, Status.SUCCEEDED, null, null, now);
  }

  /** Not done, and why. */
  public static BatchItem refused(RunId runId, EngineException refusal, Instant now) {
    boolean gone = refusal.code() == ErrorCode.RUN_NOT_FOUND;
    return new BatchItem(
        runId,
        gone ? Status.SKIPPED : Status.FAILED,
        refusal.code().name(),
        refusal.getMessage(),
        now);
  }

  /** Nothing to do, and why. */
  public static BatchItem skipped(RunId runId, ErrorCode reason, String message, Instant now) {
    return new BatchItem(runId, Status.SKIPPED, reason.name(), message, now);
  }
}
