package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Retry;
import dev.kagzi.v1.StepAttempt;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the workflow said about a step besides its work.
 *
 * @param retry its own policy
 * @param timeout its own limit for an attempt
 * @param atMostOnce it is not executed again when its worker is lost
 * @param quiet it is of little interest to readers
 * @param compensation it undoes the work of a saga
 */
record StepOptions(
    @Nullable Retry retry,
    @Nullable Duration timeout,
    boolean atMostOnce,
    boolean quiet,
    boolean compensation) {

  static final StepOptions NONE = new StepOptions(null, null, false, false, false);

  /** The options of a step that undoes something. */
  static StepOptions compensation(@Nullable Retry retry) {
    return new StepOptions(retry, null, false, false, true);
  }

  StepOptions withRetry(Retry own) {
    return new StepOptions(own, timeout, atMostOnce, quiet, compensation);
  }

  StepOptions withTimeout(Duration own) {
    if (!own.isPositive()) {
      throw new IllegalArgumentException("timeout: " + own + " (expected: > 0)");
    }
    return new StepOptions(retry, own, atMostOnce, quiet, compensation);
  }

  StepOptions onlyOnce() {
    return new StepOptions(retry, timeout, true, quiet, compensation);
  }

  StepOptions unremarkable() {
    return new StepOptions(retry, timeout, atMostOnce, true, compensation);
  }

  StepAttempt writeTo(StepAttempt attempt) {
    return equals(NONE)
        ? attempt
        : attempt.toBuilder()
            .setAtMostOnce(atMostOnce)
            .setQuiet(quiet)
            .setCompensation(compensation)
            .build();
  }

  /** The policy of the step itself; one attempt where a second one was ruled out. */
  @Nullable Retry ownRetry() {
    return retry == null && atMostOnce ? Retry.none() : retry;
  }
}
