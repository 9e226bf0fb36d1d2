package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Workers;
import java.time.Duration;
import java.time.Instant;

/** Declares workers dead that have not been heard of for too long. */
public final class WorkerSweeper {

  private final Workers workers;
  private final Duration threshold;

  public WorkerSweeper(Workers workers, Duration threshold) {
    this.workers = workers;
    this.threshold = threshold;
  }

  /** Returns how many workers it declared dead. */
  public int runOnce(Instant now) {
    return workers.declareStaleDead(now.minus(threshold));
  }
}
