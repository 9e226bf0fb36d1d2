package dev.kagzi.sdk;

/** What the cancelling of a run led to. */
public enum CancelOutcome {
  /** The run is cancelled, by this call or by an earlier one. */
  CANCELLED,
  /** The run undoes its work first and is cancelled then, unless it comes to its end before. */
  STOP_REQUESTED,
  /** The run had ended in another way before, and stays as it is. */
  ALREADY_FINISHED
}
