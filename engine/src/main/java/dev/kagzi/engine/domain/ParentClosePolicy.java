package dev.kagzi.engine.domain;

/** What becomes of a child whose parent ends before it. */
public enum ParentClosePolicy {
  /** It is cancelled. */
  CANCEL,
  /** It goes on alone. */
  ABANDON
}
