package dev.kagzi.engine.operation;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread that calls back later. Callbacks must not block: they only start something. */
public final class Timers implements AutoCloseable {

  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("kagzi-timers").daemon().factory());

  public Timers() {
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Runs the callback after a time; at once if it is not positive. */
  public void after(Duration delay, Runnable callback) {
    Future<?> unused = cancellable(delay, callback);
  }

  /** The same, for callers who may change their mind. */
  public Future<?> cancellable(Duration delay, Runnable callback) {
    return scheduler.schedule(callback, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
  }
}
