package dev.kagzi.sdk;

import com.fasterxml.jackson.annotation.JsonAlias;

/** The state of a run. */
public enum RunStatus {
  /** Ready to be claimed by a worker, or waiting only for a retry. */
  @JsonAlias("WORKFLOW_STATUS_PENDING")
  PENDING(false),
  /** A worker executes it. */
  @JsonAlias("WORKFLOW_STATUS_RUNNING")
  RUNNING(false),
  /** Suspended until a timer, an event or a child; no worker is busy with it. */
  @JsonAlias("WORKFLOW_STATUS_SLEEPING")
  SLEEPING(false),
  /** Ended with a result. */
  @JsonAlias("WORKFLOW_STATUS_COMPLETED")
  COMPLETED(true),
  /** Ended by an error. */
  @JsonAlias("WORKFLOW_STATUS_FAILED")
  FAILED(true),
  /** Ended because somebody asked for it. */
  @JsonAlias("WORKFLOW_STATUS_CANCELLED")
  CANCELLED(true),
  /** Ended by its deadline. */
  @JsonAlias("WORKFLOW_STATUS_TIMED_OUT")
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
