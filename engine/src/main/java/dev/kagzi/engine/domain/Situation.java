package dev.kagzi.engine.domain;

import dev.kagzi.core.RetryPolicy;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about where a run is.
 *
 * @param hold what is known of the worker that has it, if one has
 * @param divergence where code and history part, if the run is parked for that
 * @param workers some of those that live on the run's queue
 * @param capacity all of them, counted
 * @param elsewhere other queues of the namespace on which workers serve the run's type and version
 * @param mostAttempts how often the run itself may be executed, or {@link RetryPolicy#UNLIMITED}
 */
public record Situation(
    Run run,
    @Nullable Hold hold,
    @Nullable Parked divergence,
    List<OpenWait> waits,
    List<RunningStep> steps,
    List<LiveWorker> workers,
    Capacity capacity,
    List<String> elsewhere,
    int mostAttempts,
    boolean namespaceEnabled) {

  /**
   * A worker's hold on the run.
   *
   * @param heardAt the worker's last heartbeat
   */
  public record Hold(Instant leasedAt, @Nullable Instant heardAt) {}

  /** A divergence, and how often it was met. */
  public record Parked(Divergence divergence, int tries) {}

  /**
   * A wait that has not ended.
   *
   * @param childStatus what the child does, if it waits for one that lives
   * @param failed why it waits, if it waits for the next attempt of a step
   */
  public record OpenWait(
      String stepKey,
      String kind,
      @Nullable Instant wakeAt,
      @Nullable String eventName,
      @Nullable RunId child,
      @Nullable RunStatus childStatus,
      @Nullable Instant timeoutAt,
      Instant since,
      @Nullable FailedAttempt failed) {

    /** When it ends by itself, if it does. */
    public @Nullable Instant endsAt() {
      return wakeAt == null ? timeoutAt : wakeAt;
    }
  }

  /**
   * The last failed attempt of a step.
   *
   * @param most how often the step may be executed, or {@link RetryPolicy#UNLIMITED}
   */
  public record FailedAttempt(int attempt, int most, String error) {}

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
   * @param oldestReadyAt since when the run of its type and version waits that has waited longest
   */
  public record Capacity(
      int workers,
      int serving,
      boolean servesType,
      int slots,
      int free,
      @Nullable Instant oldestReadyAt) {

    public static final Capacity NONE = new Capacity(0, 0, false, 0, 0, null);
  }

  public Situation {
    waits = List.copyOf(waits);
    steps = List.copyOf(steps);
    workers = List.copyOf(workers);
    elsewhere = List.copyOf(elsewhere);
  }
}
