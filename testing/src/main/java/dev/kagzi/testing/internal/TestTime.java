package dev.kagzi.testing.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The time of a test: goes as fast as any other, and can be put forward. It does not stand still in
 * between because workers carry on by themselves what they heard last; a time that stood still
 * would be behind theirs. Thread-safe.
 */
final class TestTime implements InstantSource {

  private final Instant start = InstantSource.system().instant();
  private final long startNanos = System.nanoTime();
  private Duration ahead = Duration.ZERO;

  @Override
  public synchronized Instant instant() {
    return start.plusNanos(System.nanoTime() - startNanos).plus(ahead);
  }

  /** Puts the time forward to a moment, unless it has passed already. */
  synchronized void moveTo(Instant moment) {
    Duration missing = Duration.between(instant(), moment);
    if (missing.isPositive()) {
      ahead = ahead.plus(missing);
    }
  }
}
