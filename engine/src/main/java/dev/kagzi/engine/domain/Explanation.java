package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a run is where it is, in words and as data.
 *
 * @param sentence one sentence or two
 * @param since since when the reason holds, if that is known
 * @param expectedAt when the run is expected to move, if anybody knows
 * @param stepKeys the steps that it waits for or executes
 */
public record Explanation(
    Reason reason,
    Verdict verdict,
    String sentence,
    List<Evidence> evidence,
    List<String> suggestions,
    @Nullable Instant since,
    @Nullable Instant expectedAt,
    List<String> stepKeys) {

  /** Why a run does or does not move. */
  public enum Reason {
    FINISHED,
    NAMESPACE_DISABLED,
    SLEEPING,
    RETRYING,
    DELAYED_START,
    WAITING_FOR_EVENT,
    WAITING_FOR_CHILD,
    NON_DETERMINISM,
    NO_WORKER_ON_QUEUE,
    NO_WORKER_FOR_TYPE,
    NO_WORKER_FOR_VERSION,
    ALL_SLOTS_BUSY,
    READY,
    RUNNING,
    COMPENSATING,
    LEASE_EXPIRED
  }

  /** Whether somebody has to do something. */
  public enum Verdict {
    /** As it should be. */
    HEALTHY,
    /** Something is not as it should be, but it goes on by itself or is over. */
    DEGRADED,
    /** It will not move unless somebody does something. */
    UNHEALTHY
  }

  /** A fact that supports an explanation: what was looked at, and what was found there. */
  public record Evidence(String subject, String finding, Verdict verdict) {}

  public Explanation {
    evidence = List.copyOf(evidence);
    suggestions = List.copyOf(suggestions);
    stepKeys = List.copyOf(stepKeys);
  }
}
