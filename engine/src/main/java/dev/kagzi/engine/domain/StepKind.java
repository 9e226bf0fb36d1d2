package dev.kagzi.engine.domain;

/** What a step is, so that a replay can tell that the code now asks for something else. */
public enum StepKind {
  /** The author's code. */
  FUNCTION,
  /** A durable timer. */
  SLEEP,
  /** Another run. */
  CHILD_WORKFLOW,
  /** Something a client sends. */
  EVENT,
  /** A decision the SDK must remember: the time, a patch, the winner of a race, a saga. */
  MARKER
}
