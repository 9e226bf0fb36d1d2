package dev.kagzi.engine.operation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread that calls back later. Callbacks must not block: they only start something. */
public final class Timers implements AutoCloseable {

  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("kagzi-timers").daemon().factory());

  private final boolean silent;

  public Timers() {
    this(false);
  }

  private Timers(boolean silent) {
    this.silent = silent;
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Timers that never call back: for a time that does not pass by itself. */
  public static Timers silent() {
    return new Timers(true);
  }

  /** Runs the callback after a time; at once if it is not positive. */
  public void after(Duration delay, Runnable callback) {
    Future<?> unused = cancellable(delay, callback);
  }

  /** The same, for callers who may change their mind. */
  public Future<?> cancellable(Duration delay, Runnable callback) {
    if (silent) {
      return new CompletableFuture<Void>();
    }
    return scheduler.schedule(callback, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
  }
}
