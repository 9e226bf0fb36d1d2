package dev.kagzi.sdk;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a run is where it is, in words and as data. Immutable and thread-safe.
 *
 * @param text one sentence or two, for people
 * @param reason the same for programs
 * @param stuck whether the run will not move unless somebody does something
 * @param evidence the facts that support it, each with what was looked at and what was found there
 * @param suggestions what a person can do about it
 * @param since since when the reason holds, if that is known
 * @param expectedAt when the run is expected to move, if anybody knows
 * @param steps the keys of the steps that the run waits for or executes
 */
public record Explanation(
    String text,
    Reason reason,
    boolean stuck,
    List<String> evidence,
    List<String> suggestions,
    @Nullable Instant since,
    @Nullable Instant expectedAt,
    List<String> steps) {

  /** Why a run does or does not move. */
  public enum Reason {
    /** It has ended. */
    FINISHED,
    /** Its namespace takes no work now. */
    NAMESPACE_DISABLED,
    /** Somebody has paused it. */
    PAUSED,
    /** It waits for a timer. */
    SLEEPING,
    /** It waits for the next attempt of a step, or of itself. */
    RETRYING,
    /** It was started with a delay. */
    DELAYED_START,
    /** It waits for its turn under a limit. */
    THROTTLED,
    /** It waits for an event. */
    WAITING_FOR_EVENT,
    /** It waits for a child run. */
    WAITING_FOR_CHILD,
    /** The code does not fit what was recorded. */
    NON_DETERMINISM,
    /** Nobody works on its queue. */
    NO_WORKER_ON_QUEUE,
    /** Nobody on its queue serves its type. */
    NO_WORKER_FOR_TYPE,
    /** Nobody on its queue serves its version. */
    NO_WORKER_FOR_VERSION,
    /** Those who serve it have no free slot. */
    ALL_SLOTS_BUSY,
    /** It will be claimed any moment. */
    READY,
    /** A worker executes it. */
    RUNNING,
    /** It undoes its work because it was asked to stop. */
    COMPENSATING,
    /** Its worker has gone silent; it is about to be taken back. */
    LEASE_EXPIRED,
    /** Something that this SDK has no word for; the text says it. */
    UNKNOWN
  }

  public Explanation {
    evidence = List.copyOf(evidence);
    suggestions = List.copyOf(suggestions);
    steps = List.copyOf(steps);
  }

  /** The sentence for people. */
  @Override
  public String toString() {
    return text;
  }
}
