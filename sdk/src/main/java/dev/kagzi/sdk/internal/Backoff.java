package dev.kagzi.sdk.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Waits that double up to a limit, each varied at random so that many callers do not return at the
 * same moment. Belongs to one caller and is not thread-safe.
 */
final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final Duration longest;
  private int failures;

  Backoff() {
    this(LONGEST);
  }

  Backoff(Duration longest) {
    this.longest = longest;
  }

  /** The next wait: between half and all of the doubled one. */
  Duration next() {
    long full = FIRST.toMillis() << Math.min(failures++, 10);
    long capped = Math.min(full, longest.toMillis());
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(capped / 2, capped + 1));
  }

  /** Begins anew after a success. */
  void reset() {
    failures = 0;
  }
}
