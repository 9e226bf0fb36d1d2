package dev.kagzi.engine.wakeup;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Says that a run with children has ended here, or that one is waiting to be looked after. Other
 * servers need not hear of it. Thread-safe.
 */
public final class OrphanSignals {

  private final AtomicBoolean news = new AtomicBoolean(true);

  /** There may be children whose parent has ended. */
  public void parentEnded() {
    news.set(true);
  }

  /** Whether there was news since the last call. */
  public boolean take() {
    return news.getAndSet(false);
  }
}
