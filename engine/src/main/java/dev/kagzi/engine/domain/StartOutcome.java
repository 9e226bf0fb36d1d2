package dev.kagzi.engine.domain;

/** What became of a start. */
public sealed interface StartOutcome {

  RunId runId();

  RunStatus status();

  RunTarget target();

  /** This start made the run; also the answer to its repetition. */
  record Started(RunId runId, RunStatus status, RunTarget target) implements StartOutcome {}

  /** A live run has the external id, or an ended one that the reuse policy does not pass over. */
  record AlreadyExists(RunId runId, RunStatus status, RunTarget target) implements StartOutcome {}
}
