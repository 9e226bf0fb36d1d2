package dev.kagzi.engine.domain;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a loop shows of itself.
 *
 * @param sinceTurn how long ago it last finished a turn, or began its work if it has finished none
 * @param failures turns in a row that failed
 * @param said what the last failed turn said, if the last one failed
 */
public record LoopPulse(
    String name, Duration interval, Duration sinceTurn, int failures, @Nullable String said) {

  /** However short its interval is, a loop may be kept waiting this long by a busy machine. */
  private static final Duration SHORTEST_STALL = Duration.ofSeconds(30);

  private static final int INTERVALS = 3;

  /** Whether it has not come to the end of a turn for far too long. */
  public boolean isStalled() {
    Duration allowed = interval.multipliedBy(INTERVALS);
    return sinceTurn.compareTo(allowed.compareTo(SHORTEST_STALL) > 0 ? allowed : SHORTEST_STALL)
        > 0;
  }

  public ComponentHealth judge() {
    String last = said == null ? "" : ": " + said;
    if (isStalled()) {
      String message = "has finished no turn for %d s%s".formatted(sinceTurn.toSeconds(), last);
      return new ComponentHealth(name, Health.UNHEALTHY, message);
    }
    return failures > 0
        ? new ComponentHealth(name, Health.DEGRADED, "failed %d times%s".formatted(failures, last))
        : new ComponentHealth(name, Health.HEALTHY, "turns");
  }
}
