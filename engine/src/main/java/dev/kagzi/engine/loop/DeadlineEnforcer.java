package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Deadlines;

/** Ends runs whose deadline has passed. */
public final class DeadlineEnforcer {

  private final Deadlines deadlines;

  public DeadlineEnforcer(Deadlines deadlines) {
    this.deadlines = deadlines;
  }

  /** Returns how many runs it ended or asked to end. */
  public int runOnce() {
    return deadlines.enforce();
  }
}
