package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.LoopPulse;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls something again and again on a thread of its own, with a little jitter, so that the servers
 * of one database do not act in step. A failure is logged when it begins and when it is over, and
 * never ends the loop.
 */
public final class Loop implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Loop.class);
  private static final double JITTER = 0.1;

  private final String name;
  private final Duration interval;
  private final Runnable body;
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean turning;
  private volatile long dueNanos = System.nanoTime();
  private volatile long finishedNanos = System.nanoTime();
  private volatile int failures;
  private volatile @Nullable String said;

  public Loop(String name, Duration interval, Runnable body) {
    this.name = name;
    this.interval = interval;
    this.body = body;
    this.thread = Thread.ofPlatform().name("kagzi-" + name).daemon().unstarted(this::run);
  }

  public Loop start() {
    thread.start();
    return this;
  }

  private void run() {
    while (!closed) {
      turning = true;
      turn();
      dueNanos = System.nanoTime() + jittered(interval);
      turning = false;
      pause();
    }
  }

  /**
   * Has the next turn begin now instead of at the end of the pause.
   *
   * @return false if a turn is under way, which is then the last for a whole interval
   */
  public boolean hurry() {
    if (turning || closed) {
      return false;
    }
    dueNanos = System.nanoTime();
    LockSupport.unpark(thread);
    return true;
  }

  private void turn() {
    try {
      body.run();
      if (failures > 0) {
        log.info("{} works again after {} failures", name, failures);
      }
      note(0, null);
    } catch (RuntimeException | Error failure) {
      if (!closed && failures == 0) {
        log.warn("{} failed and will go on trying: {}", name, failure.toString());
      }
      note(failures + 1, failure.toString());
    }
  }

  /** Only the loop's own thread writes. */
  private void note(int failuresInARow, @Nullable String message) {
    failures = failuresInARow;
    said = message;
    finishedNanos = System.nanoTime();
  }

  /** How it goes; costs nothing. */
  public LoopPulse pulse() {
    Duration sinceTurn = Duration.ofNanos(System.nanoTime() - finishedNanos);
    return new LoopPulse(name, interval, sinceTurn, failures, said);
  }

  private void pause() {
    long left;
    while (!closed && (left = dueNanos - System.nanoTime()) > 0) {
      LockSupport.parkNanos(this, left);
    }
  }

  private static long jittered(Duration interval) {
    double factor = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return (long) (interval.toNanos() * factor);
  }

  /** Lets the current turn finish, then stops. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
