package dev.kagzi.engine.model;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A time that passes only when it is told to. */
final class VirtualTime implements InstantSource {

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2035-01-01T00:00:00Z"));

  @Override
  public Instant instant() {
    return now.get();
  }

  void pass(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  /** On to the next full hour, so that every history sees the same cron times. */
  void passToNextHour() {
    now.updateAndGet(before -> before.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS));
  }
}
