package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Retention;
import java.time.Instant;

/** Removes history that has been kept long enough. */
public final class HistoryPruner {

  private final Retention retention;

  public HistoryPruner(Retention retention) {
    this.retention = retention;
  }

  public Retention.Removed runOnce(Instant now) {
    return retention.prune(now);
  }
}
