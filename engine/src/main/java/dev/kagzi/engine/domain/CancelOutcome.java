package dev.kagzi.engine.domain;

/** What became of a cancel. */
public sealed interface CancelOutcome {

  /** The run has ended as CANCELLED; also the answer to a repetition. */
  record Cancelled() implements CancelOutcome {}

  /** The run is inside a saga: it undoes its work first. */
  record StopRequested() implements CancelOutcome {}

  /** The run had ended before. */
  record AlreadyEnded(RunStatus status) implements CancelOutcome {}
}
