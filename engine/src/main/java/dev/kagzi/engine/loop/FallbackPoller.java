package dev.kagzi.engine.loop;

import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.engine.operation.Dispatcher;
import java.time.Duration;

/**
 * Looks for what no news announced: due runs of watched queues, ends of awaited runs. News lowers
 * latency; this loop alone would be enough for progress.
 *
 * <p>Where a beat of this server is due anyway, the look for work is part of its transaction, so
 * that an idle server makes one transaction a second. A beat must not be kept waiting, so this ends
 * as soon as looks take long or fail.
 */
public final class FallbackPoller {

  /** Looks that take longer have a transaction of their own. */
  private static final Duration QUICK = Duration.ofMillis(250);

  private final Dispatcher dispatcher;
  private final Completions completions;
  private volatile boolean quick = true;

  /** Somebody whose transaction is due now and who may take a look along. */
  @FunctionalInterface
  public interface Carrier {
    /** Returns false if nobody is taken along now. */
    boolean take(NodeBeater.Passenger passenger);
  }

  public FallbackPoller(Dispatcher dispatcher, Completions completions) {
    this.dispatcher = dispatcher;
    this.completions = completions;
  }

  /** Looks by itself. */
  public void runOnce() {
    runOnce(passenger -> false);
  }

  /** Has the look for work taken along if it is quick and somebody takes it. */
  public void runOnce(Carrier carrier) {
    if (!quick || !carrier.take(this::lookForWork)) {
      long asked = System.nanoTime();
      dispatcher.lookForWork();
      noteTime(asked);
    }
    completions.lookForEnds();
  }

  private void lookForWork(Transaction tx) {
    quick = false;
    long asked = System.nanoTime();
    dispatcher.lookForWork(tx);
    noteTime(asked);
  }

  private void noteTime(long askedNanos) {
    quick = System.nanoTime() - askedNanos < QUICK.toNanos();
  }
}
