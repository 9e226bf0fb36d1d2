package dev.kagzi.sdk;

import java.time.Instant;
import java.util.List;

/**
 * A worker with what it holds and what happened to it. Immutable and thread-safe.
 *
 * @param worker the worker
 * @param runs the runs that it holds, at most 1000
 * @param events what happened to it, newest first
 */
public record WorkerDetails(WorkerView worker, List<HeldRun> runs, List<Event> events) {

  /**
   * A run that a worker holds.
   *
   * @param runId the run
   * @param type its workflow type and version
   * @param step the key of a step that runs now; empty between steps
   */
  public record HeldRun(String runId, VersionedType type, String step) {}

  /**
   * Something that happened to a worker.
   *
   * @param kind what it was
   * @param at when
   * @param message why, for people; may be empty
   */
  public record Event(Kind kind, Instant at, String message) {

    /** What can happen to a worker. */
    public enum Kind {
      /** It has registered. */
      STARTED,
      /** It has begun to drain. */
      STOPPING,
      /** It has left. */
      STOPPED,
      /** It was found dead or taken offline. */
      OFFLINE,
      /** Something that this SDK has no word for. */
      UNKNOWN
    }
  }

  public WorkerDetails {
    runs = List.copyOf(runs);
    events = List.copyOf(events);
  }
}
