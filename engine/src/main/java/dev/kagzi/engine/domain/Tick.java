package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One time of a schedule and what becomes of it.
 *
 * @param skipped why it starts no run; null if it does
 */
public record Tick(Instant fireAt, @Nullable SkipReason skipped) {

  /** Why a tick starts no run. */
  public enum SkipReason {
    /** Older than the most recent that are caught up. */
    CATCHUP,
    /** A run of the schedule was live. */
    OVERLAP
  }

  public boolean fires() {
    return skipped == null;
  }
}
