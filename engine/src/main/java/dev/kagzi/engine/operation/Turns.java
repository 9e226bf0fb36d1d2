package dev.kagzi.engine.operation;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the same work again and again for many who ask, one turn at a time. Whoever asks during a
 * turn gets another one after it, so that no wish falls between two turns; however many ask, it is
 * one. Thread-safe.
 */
final class Turns {

  private static final Logger log = LoggerFactory.getLogger(Turns.class);

  private final Executor executor;
  private final Runnable work;
  private final AtomicInteger wishes = new AtomicInteger();

  Turns(Executor executor, Runnable work) {
    this.executor = executor;
    this.work = work;
  }

  /** Asks for a turn that begins after this call. Does not block. */
  void ask() {
    if (wishes.getAndIncrement() == 0) {
      executor.execute(this::take);
    }
  }

  private void take() {
    int granted = wishes.get();
    do {
      turn();
      granted = wishes.addAndGet(-granted);
    } while (granted != 0);
  }

  /** A turn that fails must not be the last. */
  private void turn() {
    try {
      work.run();
    } catch (RuntimeException | Error bug) {
      log.error("a turn ended by an unexpected failure", bug);
    }
  }

  /** Whether nobody waits for a turn and none is under way. */
  boolean isIdle() {
    return wishes.get() == 0;
  }
}
