package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run as a caller sees it, live or ended. */
public record Run(
    RunId runId,
    RunTarget target,
    RunStatus status,
    @Nullable String externalId,
    @Nullable String waitReason,
    @Nullable Instant availableAt,
    @Nullable WorkerId worker,
    int epoch,
    int failures,
    int crashes,
    Map<String, String> labels,
    Times times,
    @Nullable Ending ending) {

  /** When things happened. */
  public record Times(
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt,
      @Nullable Instant deadlineAt) {}

  /**
   * What is known of the end of an ended run.
   *
   * @param reason what the person who ended it gave
   */
  public record Ending(
      @Nullable Payload output,
      @Nullable Failure error,
      @Nullable String failedStepKey,
      @Nullable String reason) {}
}
