package dev.kagzi.sdk;

/** What becomes of a child whose parent ends before it, in whatever way. */
public enum ParentClosePolicy {
  /** It is cancelled. */
  CANCEL,
  /** It goes on alone. */
  ABANDON
}
