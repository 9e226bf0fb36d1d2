package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.WorkerLists;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes workers that have been offline for long, and what is known of their lives. */
public final class WorkerPruner {

  private static final Logger log = LoggerFactory.getLogger(WorkerPruner.class);
  private static final Duration KEPT = Duration.ofDays(7);

  /** Rounds in one turn, so that many workers do not keep the engine from closing. */
  private static final int ROUNDS = 100;

  private final WorkerLists workers;

  public WorkerPruner(WorkerLists workers) {
    this.workers = workers;
  }

  /** Returns how many workers it removed. */
  public int runOnce(Instant now) {
    int pruned = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int inRound = workers.prune(now.minus(KEPT));
      pruned += inRound;
      if (inRound == 0) {
        break;
      }
    }
    if (pruned > 0) {
      log.info(
          "{} workers were offline for more than {} days and are forgotten", pruned, KEPT.toDays());
    }
    return pruned;
  }
}
