package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as a caller sees it, live or ended.
 *
 * @param lastError why it failed, of a live one that waits for its own next attempt
 */
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
    int retries,
    Lineage lineage,
    RunPolicies policies,
    Map<String, String> labels,
    @Nullable String traceparent,
    Times times,
    @Nullable StopRequest stop,
    @Nullable Failure lastError,
    @Nullable Ending ending) {

  /**
   * Which runs it comes from.
   *
   * @param handlerFor the run whose failure it handles
   * @param continuedAs the run that goes on where this one ended
   * @param fireAt the tick of the schedule that started it
   */
  public record Lineage(
      @Nullable RunId forkedFrom,
      @Nullable RunId handlerFor,
      @Nullable RunId parent,
      @Nullable String parentStepKey,
      @Nullable RunId continuedFrom,
      @Nullable RunId continuedAs,
      @Nullable RunId schedule,
      @Nullable Instant fireAt) {}

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

  /** The error to show: what ended it, or what it waits after. */
  public @Nullable Failure error() {
    return ending == null ? lastError : ending.error();
  }
}
