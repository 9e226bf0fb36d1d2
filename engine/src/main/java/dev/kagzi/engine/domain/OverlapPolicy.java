package dev.kagzi.engine.domain;

/** What happens to a tick while a run of the schedule is still live. */
public enum OverlapPolicy {
  ALLOW,
  /** The tick is skipped. */
  SKIP,
  /** The live runs are cancelled and the tick fires. */
  CANCEL_OTHER
}
