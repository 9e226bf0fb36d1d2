package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a suspension.
 *
 * @param waits the asked-for waits, in their order
 * @param released nobody holds the run any more; its worker forgets it
 */
public record SuspendOutcome(List<WaitState> waits, boolean released) {

  /**
   * A wait as it is recorded.
   *
   * @param wakeAt the time that counts: the first one recorded; null if the wait has no end
   * @param ended the settled step, if the wait is over
   */
  public record WaitState(String stepKey, @Nullable Instant wakeAt, @Nullable RecordedStep ended) {}

  public SuspendOutcome {
    waits = List.copyOf(waits);
  }
}
