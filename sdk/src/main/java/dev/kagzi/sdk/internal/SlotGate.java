package dev.kagzi.sdk.internal;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The slots of a worker: no more runs at the same time than there are slots. Thread-safe. */
final class SlotGate {

  /** The share of the slots that is worth a claim of its own. */
  private static final int SHARE = 4;

  private final Semaphore free;
  private final int worthAClaim;

  SlotGate(int slots) {
    this.free = new Semaphore(slots);
    this.worthAClaim = Math.max(1, slots / SHARE);
  }

  /** Takes all free slots, waiting until there is at least one. */
  int takeFree() throws InterruptedException {
    free.acquire();
    return 1 + free.drainPermits();
  }

  /**
   * The same, but waits a little for a good part of the slots to be free. For a worker who is never
   * short of work: claims for a few runs each cost everybody more than the moment without them.
   */
  int takeMany(Duration patience) throws InterruptedException {
    if (free.tryAcquire(worthAClaim, patience.toNanos(), TimeUnit.NANOSECONDS)) {
      return worthAClaim + free.drainPermits();
    }
    return takeFree();
  }

  void giveBack(int slots) {
    free.release(slots);
  }
}
