package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many things may be done by now, if there is a limit per second. Everything done moves the
 * time of the next one on; time that passed unused counts only for a moment, so that a pause is not
 * followed by a flood.
 *
 * @param perSecond null for no limit
 */
public record Pace(@Nullable Double perSecond) {

  private static final Duration MEMORY = Duration.ofMillis(250);
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double LONGEST_PAUSE_SECONDS = 86_400;

  /** How many may be done now, up to a limit. */
  public int allowed(Instant nextAt, Instant now, int limit) {
    if (perSecond == null) {
      return limit;
    }
    if (nextAt.isAfter(now)) {
      return 0;
    }
    double seconds = Duration.between(from(nextAt, now), now).toNanos() / NANOS_PER_SECOND;
    return (int) Math.min(limit, Math.floor(seconds * perSecond) + 1);
  }

  /** When the next may be done, after some were. */
  public Instant after(Instant nextAt, Instant now, int done) {
    if (perSecond == null || done == 0) {
      return nextAt;
    }
    double seconds = Math.min(done / perSecond, LONGEST_PAUSE_SECONDS);
    return from(nextAt, now).plusNanos((long) Math.ceil(seconds * NANOS_PER_SECOND));
  }

  private static Instant from(Instant nextAt, Instant now) {
    Instant earliest = now.minus(MEMORY);
    return nextAt.isBefore(earliest) ? earliest : nextAt;
  }
}
