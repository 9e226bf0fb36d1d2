package dev.kagzi.faults;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes a proxy carries, and says when the ones it may still carry are used up. */
final class Allowance {

  private static final long UNLIMITED = Long.MAX_VALUE;

  private final AtomicLong left = new AtomicLong(UNLIMITED);
  private final Map<Direction, AtomicLong> carried =
      Map.of(Direction.TO_TARGET, new AtomicLong(), Direction.TO_CLIENT, new AtomicLong());
  private final Runnable whenUsedUp;

  Allowance(Runnable whenUsedUp) {
    this.whenUsedUp = whenUsedUp;
  }

  void limit(long bytes) {
    left.set(bytes);
  }

  void lift() {
    left.set(UNLIMITED);
  }

  /** Takes as many bytes off the allowance as there are. */
  int take(int wanted) {
    long before = left.getAndUpdate(now -> now == UNLIMITED ? now : now - Math.min(now, wanted));
    return (int) Math.min(before, wanted);
  }

  /** Counts bytes that went out; the last one allowed ends the allowance and is acted upon. */
  void carried(Direction direction, int bytes) {
    counter(direction).addAndGet(bytes);
    if (left.compareAndSet(0, UNLIMITED)) {
      whenUsedUp.run();
    }
  }

  long carried(Direction direction) {
    return counter(direction).get();
  }

  private AtomicLong counter(Direction direction) {
    return Objects.requireNonNull(carried.get(direction));
  }
}
