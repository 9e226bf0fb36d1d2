package dev.kagzi.faults;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** The treatment in force, and a place to wait in that every change of it wakes. */
final class Weather {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile Treatment now = Treatment.PASS;

  Treatment now() {
    return now;
  }

  void change(UnaryOperator<Treatment> change) {
    lock.lock();
    try {
      now = change.apply(now);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets everyone who waits look again whether they still have a reason to. */
  void stir() {
    change(UnaryOperator.identity());
  }

  /**
   * Waits until the time since a moment is as long as the treatment in force asks for. A change
   * counts at once, so that nobody sits out a delay that is no longer wanted.
   */
  void awaitSince(long moment, ToLongFunction<Treatment> nanos, BooleanSupplier givenUp)
      throws InterruptedException {
    lock.lock();
    try {
      long left = nanos.applyAsLong(now) - (System.nanoTime() - moment);
      while (left > 0 && !givenUp.getAsBoolean()) {
        changed.awaitNanos(left);
        left = nanos.applyAsLong(now) - (System.nanoTime() - moment);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits while nothing passes in either direction. */
  void awaitNoBlackHole(BooleanSupplier givenUp) throws InterruptedException {
    lock.lock();
    try {
      while (now.isBlackHole() && !givenUp.getAsBoolean()) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }
}
