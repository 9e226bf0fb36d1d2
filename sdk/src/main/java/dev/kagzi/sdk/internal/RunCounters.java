package dev.kagzi.sdk.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs that ended on this worker and that the server has not been told about. What was told is
 * subtracted only when the server has accepted it, so nothing is lost with a failed heartbeat.
 * Thread-safe.
 */
final class RunCounters {

  /** An amount of ended runs. */
  record Ended(long completed, long failed) {}

  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  void countCompleted() {
    completed.incrementAndGet();
  }

  void countFailed() {
    failed.incrementAndGet();
  }

  Ended untold() {
    return new Ended(completed.get(), failed.get());
  }

  void subtract(Ended told) {
    completed.addAndGet(-told.completed());
    failed.addAndGet(-told.failed());
  }
}
