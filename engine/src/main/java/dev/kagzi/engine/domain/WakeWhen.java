package dev.kagzi.engine.domain;

/** What wakes a run that was handed back; a time that has come always does. */
public enum WakeWhen {
  /** The end of any wait. */
  ANY,
  /** The end of the last wait for an event or a child. */
  ALL,
  /** That, or a child that has ended without a result. */
  ALL_OR_FAILED
}
