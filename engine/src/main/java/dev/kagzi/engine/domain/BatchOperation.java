package dev.kagzi.engine.domain;

import java.util.EnumSet;

/** What a batch does to each of its runs. */
public enum BatchOperation {
  RETRY,
  CANCEL,
  DELETE;

  /** Of the runs that a filter finds only those are meant to which something can be done. */
  public Criterion applicable() {
    return new Criterion.HasStatus(
        switch (this) {
          case RETRY -> EnumSet.of(RunStatus.FAILED, RunStatus.TIMED_OUT);
          case CANCEL -> EnumSet.of(RunStatus.PENDING, RunStatus.RUNNING, RunStatus.SLEEPING);
          case DELETE ->
              EnumSet.of(
                  RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.TIMED_OUT);
        });
  }
}
