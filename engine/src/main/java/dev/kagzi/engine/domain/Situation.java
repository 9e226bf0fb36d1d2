package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about where a run is.
 *
 * @param leasedAt when the lease was taken, if there is one
 * @param divergence where code and history part, if the run is parked for that
 * @param workers some of those that live on the run's queue
 * @param capacity all of them, counted
 * @param elsewhere other queues of the namespace on which workers serve the run's type and version
 * @param lastError what the last failed attempt of a step said, if one failed
 */
public record Situation(
    Run run,
    @Nullable Instant leasedAt,
    @Nullable Parked divergence,
    List<OpenWait> waits,
    List<RunningStep> steps,
    List<LiveWorker> workers,
    Capacity capacity,
    List<String> elsewhere,
    @Nullable String lastError,
    boolean namespaceEnabled) {

  /** A divergence, and how often it was met. */
  public record Parked(Divergence divergence, int tries) {}

  /**
   * A wait that has not ended.
   *
   * @param childStatus what the child does, if it waits for one that lives
   */
  public record OpenWait(
      String stepKey,
      String kind,
      @Nullable Instant wakeAt,
      @Nullable String eventName,
      @Nullable RunId child,
      @Nullable RunStatus childStatus,
      @Nullable Instant timeoutAt,
      Instant since) {

    /** When it ends by itself, if it does. */
    public @Nullable Instant endsAt() {
      return wakeAt == null ? timeoutAt : wakeAt;
    }
  }

  /** An announced attempt that has not ended. */
  public record RunningStep(String stepKey, int attempt, Instant startedAt) {}

  /** A worker that is not offline. */
  public record LiveWorker(
      WorkerId workerId, boolean draining, String hostname, long pid, List<TypeVersion> types) {

    public LiveWorker {
      types = List.copyOf(types);
    }

    /** The worker for a person. */
    public String label() {
      return "%s (%s, process %d)".formatted(workerId, hostname, pid);
    }
  }

  /**
   * What all workers that live on a queue can do for a run.
   *
   * @param serving how many take runs of its type and version
   * @param servesType whether one knows its type, in whatever version
   * @param slots of those that serve it
   * @param free which of them are not in use
   */
  public record Capacity(int workers, int serving, boolean servesType, int slots, int free) {

    public static final Capacity NONE = new Capacity(0, 0, false, 0, 0);
  }

  public Situation {
    waits = List.copyOf(waits);
    steps = List.copyOf(steps);
    workers = List.copyOf(workers);
    elsewhere = List.copyOf(elsewhere);
  }
}
