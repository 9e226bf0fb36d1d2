package dev.kagzi.engine.operation;

import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Rings once, at the earliest of the times it was asked for since it last rang. Thread-safe. */
public final class Alarm {

  /** Farther alarms are cut to this; whoever is woken for nothing asks again. */
  private static final Duration FARTHEST = Duration.ofHours(1);

  private final Timers timers;
  private final Runnable bell;
  private @Nullable Future<?> pending;
  private long pendingNanos;

  public Alarm(Timers timers, Runnable bell) {
    this.timers = timers;
    this.bell = bell;
  }

  public synchronized void ringAfter(Duration delay) {
    Duration wait = delay.compareTo(FARTHEST) > 0 ? FARTHEST : delay;
    long at = System.nanoTime() + wait.toNanos();
    if (pending != null) {
      if (at - pendingNanos >= 0) {
        return;
      }
      pending.cancel(false);
    }
    pendingNanos = at;
    pending = timers.cancellable(wait, this::ring);
  }

  private void ring() {
    synchronized (this) {
      pending = null;
    }
    bell.run();
  }

  public synchronized void cancel() {
    if (pending != null) {
      pending.cancel(false);
      pending = null;
    }
  }
}
