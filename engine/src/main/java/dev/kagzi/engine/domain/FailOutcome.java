package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;

/** What became of a reported failure of a step. */
public sealed interface FailOutcome {

  /** There will be another attempt, not before a moment. */
  record Retry(Instant at, Duration delay, int nextAttempt) implements FailOutcome {}

  /** The step has failed for good; the workflow decides what that means. */
  record Settled() implements FailOutcome {}

  /** The step was settled before by somebody else; this is what every replay sees. */
  record AlreadySettled(RecordedStep recorded) implements FailOutcome {}
}
