package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Completions;
import dev.kagzi.engine.operation.Dispatcher;

/**
 * Looks for what no news announced: due runs of watched queues, ends of awaited runs. News lowers
 * latency; this loop alone would be enough for progress.
 */
public final class FallbackPoller {

  private final Dispatcher dispatcher;
  private final Completions completions;

  public FallbackPoller(Dispatcher dispatcher, Completions completions) {
    this.dispatcher = dispatcher;
    this.completions = completions;
  }

  public void runOnce() {
    dispatcher.lookForWork();
    completions.lookForEnds();
  }
}
