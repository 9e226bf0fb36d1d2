package dev.kagzi.engine.domain;

/** Whether an external id may be used again once its run has ended. */
public enum ReusePolicy {
  /** Yes. */
  ALLOW,
  /** Only if its last run did not complete. */
  ALLOW_IF_FAILED,
  /** No, for as long as history is kept. */
  REJECT;

  /** Whether this policy forbids another run after one that ended like this. */
  public boolean forbids(RunStatus lastEnd) {
    return switch (this) {
      case ALLOW -> false;
      case ALLOW_IF_FAILED -> lastEnd == RunStatus.COMPLETED;
      case REJECT -> true;
    };
  }
}
