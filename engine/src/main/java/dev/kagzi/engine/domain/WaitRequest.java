package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A wait that a worker wants recorded; the step it belongs to names it.
 *
 * @param end when a timer or a retry is due, or when the wait for an event or a child is given up;
 *     null if it never is
 * @param eventName which event ends it; only for events
 * @param child which child's end ends it; null if there is none, or if it is all of the step's
 */
public record WaitRequest(
    String stepKey,
    int seq,
    WaitKind kind,
    @Nullable Instant end,
    @Nullable String eventName,
    @Nullable RunId child,
    StepTraits traits) {

  /** A wait for a moment. */
  public WaitRequest(String stepKey, int seq, WaitKind kind, Instant end) {
    this(stepKey, seq, kind, end, null, null, StepTraits.NONE);
  }

  /** A wait for an event. */
  public static WaitRequest event(
      String stepKey, int seq, String eventName, @Nullable Instant timeoutAt) {
    return new WaitRequest(
        stepKey, seq, WaitKind.EVENT, timeoutAt, eventName, null, StepTraits.NONE);
  }

  /** When the wait is over by itself, if it is one for a moment. */
  public @Nullable Instant wakeAt() {
    return kind.isForTime() ? end : null;
  }

  /** When the wait is given up, if it is one for something else. */
  public @Nullable Instant timeoutAt() {
    return kind.isForTime() ? null : end;
  }
}
