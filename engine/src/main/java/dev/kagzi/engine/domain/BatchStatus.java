package dev.kagzi.engine.domain;

/** Where a batch stands. */
public enum BatchStatus {
  /** There are runs that it has not come to. */
  RUNNING,
  /** Every run was handled. */
  COMPLETED,
  /** Somebody stopped it. */
  CANCELLED
}
