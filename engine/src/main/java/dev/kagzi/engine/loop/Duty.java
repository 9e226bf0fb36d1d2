package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.operation.Alarm;
import dev.kagzi.engine.operation.Timers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is done when it falls due rather than every so often, one turn at a time on a thread of
 * its own. Like a {@link Loop} it shows how it goes: that its turns fail, or that one does not come
 * to an end. A failure is logged when it begins and when it is over; whoever notices next that
 * something is due asks again. Thread-safe.
 */
public final class Duty implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Duty.class);

  private final String name;
  private final Runnable body;
  private final Alarm alarm;
  private final AtomicInteger wishes = new AtomicInteger();
  private volatile long begunNanos;
  private volatile boolean turning;
  private volatile int failures;
  private volatile @Nullable String said;

  public Duty(String name, Timers timers, Runnable body) {
    this.name = name;
    this.body = body;
    this.alarm = new Alarm(timers, this::ask);
  }

  /** Has a turn begin after this time, or earlier if somebody else wants it earlier. */
  public void callAfter(Duration wait) {
    alarm.ringAfter(wait);
  }

  /** A wish during a turn is another turn after it. */
  private void ask() {
    if (wishes.getAndIncrement() == 0) {
      Thread.ofVirtual().name("kagzi-" + name).start(this::takeTurns);
    }
  }

  private void takeTurns() {
    int granted = wishes.get();
    do {
      turn();
      granted = wishes.addAndGet(-granted);
    } while (granted != 0);
  }

  private void turn() {
    begunNanos = System.nanoTime();
    turning = true;
    try {
      body.run();
      if (failures > 0) {
        log.info("{} works again after {} failures", name, failures);
      }
      note(0, null);
    } catch (RuntimeException | Error failure) {
      if (failures == 0) {
        log.warn("{} failed and will be tried again: {}", name, failure.toString());
      }
      note(failures + 1, failure.toString());
    } finally {
      turning = false;
    }
  }

  /** Only the thread that has the turn writes. */
  private void note(int failuresInARow, @Nullable String message) {
    failures = failuresInARow;
    said = message;
  }

  /** How it goes; one that nobody needs goes well. Costs nothing. */
  public LoopPulse pulse() {
    Duration inTurn = turning ? Duration.ofNanos(System.nanoTime() - begunNanos) : Duration.ZERO;
    return new LoopPulse(name, Duration.ZERO, inTurn, failures, said);
  }

  /** Begins no turn that is not due yet. */
  @Override
  public void close() {
    alarm.cancel();
  }
}
