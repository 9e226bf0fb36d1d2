package dev.kagzi.testing.internal;

import dev.kagzi.engine.PassingTime;
import dev.kagzi.engine.domain.Rest;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets time pass in a test: only when nothing moves, and then to exactly what falls due next, so
 * that nothing is skipped and nothing depends on how fast the machine is. Thread-safe.
 */
public final class Clockwork {

  /** How long a test waits for code that executes, by the time on the wall. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration GLANCE = Duration.ofMillis(3);

  private final PassingTime passing;
  private final TestTime time;

  Clockwork(PassingTime passing, TestTime time) {
    this.passing = passing;
    this.time = time;
  }

  public Instant now() {
    return time.instant();
  }

  /**
   * Lets things happen until a condition holds, which is looked at when nothing moves.
   *
   * @param subject tells, for a message, what it was all about
   */
  public void until(BooleanSupplier condition, Supplier<String> subject) {
    long begin = System.nanoTime();
    while (true) {
      Rest rest = settle(begin, subject);
      if (condition.getAsBoolean()) {
        return;
      }
      Instant next = rest.nextDue();
      if (next == null) {
        throw new Standstill(
            "what the test waits for does not come: nothing moves and nothing falls due any more; "
                + subject.get(),
            null);
      }
      time.moveTo(next);
    }
  }

  /** Lets a time pass, and what falls due meanwhile happen in its order. */
  public void advance(Duration duration, Supplier<String> subject) {
    settle(subject);
    Instant end = time.instant().plus(duration);
    while (true) {
      Instant next = settle(subject);
      if (next == null || next.isAfter(end)) {
        break;
      }
      time.moveTo(next);
    }
    time.moveTo(end);
    settle(subject);
  }

  /** Waits until nothing moves; returns when the next thing falls due, or null if nothing does. */
  public @Nullable Instant settle(Supplier<String> subject) {
    return settle(System.nanoTime(), subject).nextDue();
  }

  private Rest settle(long begin, Supplier<String> subject) {
    while (true) {
      passing.catchUp();
      Rest rest = passing.look();
      if (!rest.busy()) {
        return rest;
      }
      if (System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new Standstill(
            "what the test waits for has not come within %d s; %s"
                .formatted(PATIENCE.toSeconds(), subject.get()),
            null);
      }
      LockSupport.parkNanos(GLANCE.toNanos());
    }
  }
}
