package dev.kagzi.sdk;

import java.time.Instant;
import java.util.Optional;

/**
 * A step of a run as it was when it was read: its latest attempt. Immutable and thread-safe.
 *
 * @param key its key within the run
 * @param kind what it is
 * @param status what has become of it
 * @param attempt the number of the latest attempt, from 1
 * @param failures how many attempts have failed so far
 * @param isSettled whether its result stands: then the step is never executed again
 * @param startedAt when the attempt began
 * @param finishedAt when the attempt ended
 * @param continuesAt when it goes on: the next attempt, or the end of a sleep or of a wait
 * @param childRunId the run that it has started, if it is a child
 * @param errorType the class name of what the attempt failed with
 * @param errorMessage the same in words
 */
public record StepView(
    String key,
    Kind kind,
    Status status,
    int attempt,
    int failures,
    boolean isSettled,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    Optional<Instant> continuesAt,
    Optional<String> childRunId,
    Optional<String> errorType,
    Optional<String> errorMessage) {

  /** What a step is. */
  public enum Kind {
    /** Code of the workflow. */
    FUNCTION,
    /** A sleep or a timer. */
    SLEEP,
    /** A child run, or one per item. */
    CHILD_WORKFLOW,
    /** A wait for an event. */
    EVENT,
    /** A fact that the SDK has recorded, such as the time or the winner of a race. */
    MARKER,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }

  /** What has become of a step. */
  public enum Status {
    /** Between two attempts. */
    PENDING,
    /** An attempt is under way, or a wait is open. */
    RUNNING,
    /** It has a result. */
    COMPLETED,
    /** The attempt failed; whether there is another one says {@link StepView#isSettled}. */
    FAILED,
    /** Another branch has made it pointless. */
    CANCELLED,
    /** Its worker was lost. */
    INTERRUPTED,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }
}
