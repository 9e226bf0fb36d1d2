package dev.kagzi.engine.model;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepTraits;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The steps that all workflows here have, in call order, and the policies they use. */
final class Steps {

  static final List<String> FUNCTIONS = List.of("a", "b", "c");
  static final String SAGA = "saga";
  static final String UNDO = "undo";
  static final List<String> TIMERS = List.of("nap", "rest");
  static final List<String> EVENTS = List.of("ok", "paid");
  static final List<String> CHILDREN = List.of("kid", "twin");

  private static final List<String> IN_CALL_ORDER =
      List.of("a", "nap", SAGA, "ok", "b", "kid", "paid", "twin", "c", "rest", UNDO);

  /** Both waits for events may want the same one. */
  static final String EVENT = "go";

  static final Duration STEP_BACKOFF = Duration.ofSeconds(2);
  static final Duration RUN_BACKOFF = Duration.ofSeconds(5);
  private static final Duration MOST = Duration.ofSeconds(60);

  private Steps() {}

  static int seq(String step) {
    return 1 + IN_CALL_ORDER.indexOf(step);
  }

  static SagaMarker saga(String step) {
    return step.equals(SAGA)
        ? SagaMarker.OPEN
        : step.equals(UNDO) ? SagaMarker.CLOSE : SagaMarker.NONE;
  }

  static StepTraits traits(String step) {
    return new StepTraits(null, null, false, step.equals(UNDO));
  }

  static RetryPolicy policy(int attempts) {
    return new RetryPolicy(attempts, STEP_BACKOFF, 2, MOST, List.of(), 0);
  }

  static PartialRetryPolicy runPolicy(int attempts) {
    return new PartialRetryPolicy(attempts, RUN_BACKOFF, 2.0, MOST, List.of(), 0.0, null, Set.of());
  }

  /** The wait before the next attempt; the arithmetic of the contract, not the engine's code. */
  static Duration backoff(Duration first, int failures) {
    Duration wait = first;
    for (int i = 1; i < failures; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(MOST) > 0 ? MOST : wait;
  }
}
