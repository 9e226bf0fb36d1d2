package dev.kagzi.engine.domain;

import java.util.Map;
import java.util.Set;

/** Where a run stands; the transitions are in {@link #next}. */
public enum RunStatus {
  /** Waits for a worker, or for the time of its next try. */
  PENDING,
  /** A worker holds its lease. */
  RUNNING,
  /** Waits for a timer, an event or a child; no worker holds it. */
  SLEEPING,
  /** Ended with an output. */
  COMPLETED,
  /** Ended with an error. */
  FAILED,
  /** Ended because somebody said so. */
  CANCELLED,
  /** Not a run: the template of a schedule that fires. */
  SCHEDULED,
  /** Not a run: the template of a schedule that is held. */
  PAUSED,
  /** Ended because its deadline passed. */
  TIMED_OUT;

  private static final Map<RunStatus, Set<RunStatus>> NEXT =
      Map.of(
          PENDING, Set.of(RUNNING, CANCELLED, TIMED_OUT),
          RUNNING, Set.of(PENDING, SLEEPING, COMPLETED, FAILED, CANCELLED, TIMED_OUT),
          SLEEPING, Set.of(RUNNING, PENDING, CANCELLED, TIMED_OUT),
          COMPLETED, Set.of(),
          FAILED, Set.of(PENDING),
          CANCELLED, Set.of(),
          SCHEDULED, Set.of(PAUSED),
          PAUSED, Set.of(SCHEDULED),
          TIMED_OUT, Set.of(PENDING));

  /** The states that may follow this one. */
  public Set<RunStatus> next() {
    return NEXT.getOrDefault(this, Set.of());
  }

  /** Whether a run in this state has ended. */
  public boolean isTerminal() {
    return this == COMPLETED || this == FAILED || this == CANCELLED || this == TIMED_OUT;
  }

  /** Whether a run in this state has ended by no will of its user. */
  public boolean isFailure() {
    return this == FAILED || this == TIMED_OUT;
  }

  /** Whether this is the state of a schedule's template and not of a run. */
  public boolean isTemplate() {
    return this == SCHEDULED || this == PAUSED;
  }
}
