package dev.kagzi.engine.domain;

import dev.kagzi.core.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt at a step, as its worker reports it.
 *
 * @param policy the one in effect for this step; the worker resolved it
 * @param nonRetryable the code said that another attempt cannot help
 * @param retryAfter the code said when another attempt can help
 */
public record StepFailure(
    String stepKey,
    int attempt,
    int seq,
    StepKind kind,
    @Nullable Instant startedAt,
    Failure error,
    RetryPolicy policy,
    boolean nonRetryable,
    @Nullable Duration retryAfter,
    StepTraits traits) {

  /** The failure of a plain step. */
  public StepFailure(
      String stepKey,
      int attempt,
      int seq,
      StepKind kind,
      @Nullable Instant startedAt,
      Failure error,
      RetryPolicy policy,
      boolean nonRetryable,
      @Nullable Duration retryAfter) {
    this(
        stepKey,
        attempt,
        seq,
        kind,
        startedAt,
        error,
        policy,
        nonRetryable,
        retryAfter,
        StepTraits.NONE);
  }
}
