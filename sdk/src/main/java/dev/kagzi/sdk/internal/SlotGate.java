package dev.kagzi.sdk.internal;

import java.util.concurrent.Semaphore;

/** The slots of a worker: no more runs at the same time than there are slots. Thread-safe. */
final class SlotGate {

  private final Semaphore free;

  SlotGate(int slots) {
    this.free = new Semaphore(slots);
  }

  /** Takes all free slots, waiting until there is at least one. */
  int takeFree() throws InterruptedException {
    free.acquire();
    return 1 + free.drainPermits();
  }

  void giveBack(int slots) {
    free.release(slots);
  }
}
