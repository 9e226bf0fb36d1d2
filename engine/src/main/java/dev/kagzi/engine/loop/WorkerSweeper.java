package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Recovery;
import java.time.Duration;
import java.time.Instant;

/** Declares workers dead that have not been heard of for too long, and frees what they left. */
public final class WorkerSweeper {

  private final Recovery recovery;
  private final Duration threshold;

  public WorkerSweeper(Recovery recovery, Duration threshold) {
    this.recovery = recovery;
    this.threshold = threshold;
  }

  /** Returns how many workers it declared dead. */
  public int runOnce(Instant now) {
    int dead = recovery.declareStaleDead(now.minus(threshold));
    recovery.freeOrphans();
    return dead;
  }
}
