package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.Telemetry;

/** Everybody who wants to hear what a commit has made true. */
public record Signals(
    WorkSignals work,
    DoneSignals done,
    NewsSignals news,
    OrphanSignals orphans,
    Telemetry telemetry) {

  /** With other servers told by a notifier. */
  public static Signals over(NotifyCoalescer notifier, Telemetry telemetry) {
    return new Signals(
        new WorkSignals(notifier),
        new DoneSignals(notifier),
        new NewsSignals(notifier),
        new OrphanSignals(),
        telemetry);
  }
}
