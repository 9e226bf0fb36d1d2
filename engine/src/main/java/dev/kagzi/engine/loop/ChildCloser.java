package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Orphans;
import dev.kagzi.engine.wakeup.OrphanSignals;

/**
 * Cancels the children of runs that have ended, as soon as it hears of one. Every server does; what
 * one has left behind, another finds with its next beat.
 */
public final class ChildCloser {

  /** Rounds in one turn, so that a large family does not keep the engine from closing. */
  private static final int ROUNDS = 10;

  private final Orphans orphans;
  private final OrphanSignals signals;

  public ChildCloser(Orphans orphans, OrphanSignals signals) {
    this.orphans = orphans;
    this.signals = signals;
  }

  /** Looks after what it has heard of; returns how many parents and children that were. */
  public int runOnce() {
    if (!signals.take()) {
      return 0;
    }
    int handled = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int inRound = orphans.cancelSome();
      handled += inRound;
      if (inRound == 0) {
        return handled;
      }
    }
    signals.parentEnded();
    return handled;
  }
}
