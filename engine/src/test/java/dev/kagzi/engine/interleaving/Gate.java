package dev.kagzi.engine.interleaving;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where an actor stops before each statement and each commit until it is let through. While it is
 * open nobody stops.
 *
 * <p>Thread-safe.
 */
final class Gate {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean open = true;
  private boolean reached;
  private boolean released;
  private boolean forsaken;
  private String next = "";

  /** From now on everybody stops. */
  void shut() {
    change(() -> {
      open = false;
      released = false;
      reached = false;
      forsaken = false;
    });
  }

  /** Lets everybody through who waits, and all who come. */
  void open() {
    change(() -> open = true);
  }

  /** Nobody will come any more. */
  void leave() {
    change(() -> forsaken = true);
  }

  /** Lets through who waits; what it goes on to do. */
  String release() {
    change(() -> {
      released = true;
      reached = false;
    });
    return next;
  }

  private void change(Runnable how) {
    lock.lock();
    try {
      how.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits to be let through. */
  void pass(String what) {
    lock.lock();
    try {
      next = what;
      reached = true;
      changed.signalAll();
      while (!open && !released) {
        changed.awaitUninterruptibly();
      }
      released = false;
      reached = false;
    } finally {
      lock.unlock();
    }
  }

  boolean isReached() {
    lock.lock();
    try {
      return reached;
    } finally {
      lock.unlock();
    }
  }

  boolean isForsaken() {
    lock.lock();
    try {
      return forsaken;
    } finally {
      lock.unlock();
    }
  }

  /** Whether somebody waits or everybody has left, after at most a moment. */
  boolean isQuietWithin(long millis) {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (!reached && !forsaken && left > 0) {
        left = changed.awaitNanos(left);
      }
      return reached || forsaken;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at a gate", interrupted);
    } finally {
      lock.unlock();
    }
  }
}
