package dev.kagzi.engine.domain;

import dev.kagzi.core.RetryPolicy;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at a step, or an open wait, as people look at it.
 *
 * @param step what replays know of it
 * @param supersededAt when a retry of the run took it out of the history
 * @param worker who made the attempt
 * @param policy decides about further attempts; known of those that failed or go on
 * @param inputHash SHA-256 of what it was called with, in hexadecimal digits; empty if unknown
 */
public record ListedStep(
    RecordedStep step,
    @Nullable Instant startedAt,
    @Nullable Instant supersededAt,
    @Nullable WorkerId worker,
    @Nullable RetryPolicy policy,
    String inputHash) {

  /** Where it stands in the list of a run: steps in call order, attempts by their numbers. */
  public record Place(int seq, String stepKey, int attempt) {

    /** Before all of them. */
    public static final Place FIRST = new Place(Integer.MIN_VALUE, "", 0);

    /** After all of them. */
    public static final Place LAST = new Place(Integer.MAX_VALUE, "", 0);
  }

  public Place place() {
    return new Place(step.seq(), step.stepKey(), step.attempt());
  }
}
