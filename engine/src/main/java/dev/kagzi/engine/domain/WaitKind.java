package dev.kagzi.engine.domain;

/** What a run can wait for without a worker. */
public enum WaitKind {
  /** A moment. */
  TIMER,
  /** Something a client sends, or its timeout. */
  EVENT,
  /** The end of another run, or a timeout. */
  CHILD,
  /** The time of a step's next attempt. */
  RETRY;

  /** Whether nothing but the clock ends it. */
  public boolean isForTime() {
    return this == TIMER || this == RETRY;
  }
}
