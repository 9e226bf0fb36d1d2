package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Recovery;
import java.time.Duration;
import java.time.Instant;

/** Forgets servers that have fallen silent, and frees the runs of workers that lived in them. */
public final class NodeSweeper {

  private final Recovery recovery;
  private final Duration deadAfter;

  public NodeSweeper(Recovery recovery, Duration deadAfter) {
    this.recovery = recovery;
    this.deadAfter = deadAfter;
  }

  /** Returns how many workers died with their servers. */
  public int runOnce(Instant now) {
    return recovery.declareNodesDead(now.minus(deadAfter));
  }
}
