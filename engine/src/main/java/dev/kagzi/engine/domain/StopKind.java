package dev.kagzi.engine.domain;

/** What stops a run from outside. */
public enum StopKind {
  /** Somebody asked for it. */
  CANCEL(RunStatus.CANCELLED),
  /** Its deadline has passed. */
  TIMEOUT(RunStatus.TIMED_OUT);

  private final RunStatus end;

  StopKind(RunStatus end) {
    this.end = end;
  }

  /** How a run ends that was stopped by this. */
  public RunStatus end() {
    return end;
  }
}
