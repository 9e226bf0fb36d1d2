package dev.kagzi.sdk;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of one tick of a schedule. Immutable and thread-safe.
 *
 * @param tick the cron time, or the time of the trigger
 * @param outcome whether it started a run
 * @param skipReason why it did not; empty if it did
 * @param handledAt when a server took care of it, which is later than the tick after a standstill
 * @param runId the run that it started
 * @param runStatus the state of that run; empty if there is none, or not any more
 * @param isManual whether somebody asked for it by a trigger or a backfill
 */
public record ScheduleFiring(
    Instant tick,
    Outcome outcome,
    Optional<SkipReason> skipReason,
    Instant handledAt,
    Optional<String> runId,
    Optional<RunStatus> runStatus,
    boolean isManual) {

  /** Whether a tick started a run. */
  public enum Outcome {
    /** It has started a run. */
    FIRED,
    /** It has started nothing. */
    SKIPPED,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }

  /** Why a tick started nothing. */
  public enum SkipReason {
    /** It was older than the most recent ones that the schedule catches up. */
    CATCHUP,
    /** A run of the schedule was still live. */
    OVERLAP,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }
}
