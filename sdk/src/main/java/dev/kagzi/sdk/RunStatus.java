package dev.kagzi.sdk;

/** The state of a run. */
public enum RunStatus {
  /** Ready to be claimed by a worker, or waiting only for a retry. */
  PENDING(false),
  /** A worker executes it. */
  RUNNING(false),
  /** Suspended until a timer, an event or a child; no worker is busy with it. */
  SLEEPING(false),
  /** Ended with a result. */
  COMPLETED(true),
  /** Ended by an error. */
  FAILED(true),
  /** Ended because somebody asked for it. */
  CANCELLED(true),
  /** Ended by its deadline. */
  TIMED_OUT(true);

  private final boolean terminal;

  RunStatus(boolean terminal) {
    this.terminal = terminal;
  }

  /** Whether the run has ended. */
  public boolean isTerminal() {
    return terminal;
  }
}
