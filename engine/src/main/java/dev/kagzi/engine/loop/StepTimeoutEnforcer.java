package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.StepTimeouts;

/** Ends attempts at steps that their workers should have ended. */
public final class StepTimeoutEnforcer {

  private final StepTimeouts timeouts;

  public StepTimeoutEnforcer(StepTimeouts timeouts) {
    this.timeouts = timeouts;
  }

  /** Returns from how many runs it took an attempt. */
  public int runOnce() {
    return timeouts.enforce();
  }
}
