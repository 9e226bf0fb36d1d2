package dev.kagzi.engine.domain;

/** What became of a reported step result. */
public sealed interface StepOutcome {

  /** It is recorded; also the answer to its repetition. */
  record Recorded() implements StepOutcome {}

  /** The step was settled before by somebody else; this is what every replay sees. */
  record AlreadySettled(RecordedStep recorded) implements StepOutcome {}
}
