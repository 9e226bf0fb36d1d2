package dev.kagzi.sdk.internal;

import dev.kagzi.core.TimeOrderedIds;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Mints the ids that make a start safe to repeat. They carry the time, and a server refuses those
 * that are far off its own; then the difference is remembered. Thread-safe.
 */
final class RequestIds {

  private final InstantSource clock;
  private volatile TimeOrderedIds ids;

  RequestIds(InstantSource clock) {
    this.clock = clock;
    this.ids = new TimeOrderedIds(clock);
  }

  String next() {
    return ids.next().toString();
  }

  /** From now on, mints by the server's time. */
  void follow(Instant serverTime) {
    Duration lag = Duration.between(clock.instant(), serverTime);
    ids = new TimeOrderedIds(() -> clock.instant().plus(lag));
  }
}
