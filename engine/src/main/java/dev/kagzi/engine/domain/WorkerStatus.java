package dev.kagzi.engine.domain;

/** What a worker does about work. */
public enum WorkerStatus {
  /** Takes runs. */
  ONLINE,
  /** Finishes the runs it holds and takes no others. */
  DRAINING,
  /** Has left, or was given up: it holds nothing, and what it still sends changes nothing. */
  OFFLINE
}
