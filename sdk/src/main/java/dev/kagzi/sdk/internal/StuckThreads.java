package dev.kagzi.sdk.internal;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches attempts that were interrupted and left behind. One whose thread has not ended a while
 * later is stuck until it does; a worker with as many of them as it has processors may have nothing
 * left to work with, and says so once. Thread-safe.
 */
final class StuckThreads {

  private static final Logger LOG = LoggerFactory.getLogger(StuckThreads.class);

  /** What a step may take to heed its interruption. */
  static final Duration GRACE = Duration.ofSeconds(1);

  private final ScheduledExecutorService timer;
  private final Runnable onTooMany;
  private final int limit = Runtime.getRuntime().availableProcessors();
  private final AtomicInteger stuck = new AtomicInteger();

  StuckThreads(ScheduledExecutorService timer, Runnable onTooMany) {
    this.timer = timer;
    this.onTooMany = onTooMany;
  }

  /** Interrupts an attempt whose result nobody waits for any more. */
  void leaveBehind(Attempt attempt) {
    attempt.interrupt();
    lookAfter(attempt);
  }

  /** The same for one that has been interrupted before. */
  void lookAfter(Attempt attempt) {
    try {
      var unused = timer.schedule(() -> look(attempt), GRACE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      LOG.debug("Nobody looks after {}: the worker is closed", attempt.inWords());
    }
  }

  private void look(Attempt attempt) {
    int now = stuck.incrementAndGet();
    if (!attempt.onEnd(stuck::decrementAndGet)) {
      stuck.decrementAndGet();
      return;
    }
    LOG.warn(
        "A thread goes on although it was interrupted, {} of {} that this worker can bear: {}",
        now,
        limit,
        attempt.inWords());
    if (now == limit) {
      LOG.error(
          "{} step threads of this worker are stuck, as many as there are processors: it drains,"
              + " and its process has to be started anew",
          now);
      onTooMany.run();
    }
  }

  /** How many threads are stuck now. */
  int count() {
    return stuck.get();
  }
}
