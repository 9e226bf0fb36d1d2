package dev.kagzi.server.fuzz;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** How long a canary's songs have taken, to the millisecond. Thread-safe. */
final class Songs {

  private static final int LONGEST_MILLIS = 60_000;

  private final AtomicLongArray perMillisecond = new AtomicLongArray(LONGEST_MILLIS + 1);
  private final AtomicLong count = new AtomicLong();

  void add(long nanos) {
    long millis = Math.ceilDiv(nanos, TimeUnit.MILLISECONDS.toNanos(1));
    perMillisecond.incrementAndGet((int) Math.min(millis, LONGEST_MILLIS));
    count.incrementAndGet();
  }

  long count() {
    return count.get();
  }

  /** The time within which this share of the songs was over. */
  long millis(double share) {
    double wanted = Math.ceil(share * count.get());
    long seen = 0;
    for (int millis = 0; millis < LONGEST_MILLIS; millis++) {
      seen += perMillisecond.get(millis);
      if (seen >= wanted) {
        return millis;
      }
    }
    return LONGEST_MILLIS;
  }
}
