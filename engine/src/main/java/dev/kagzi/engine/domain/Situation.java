package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about where a run is.
 *
 * @param leasedAt when the lease was taken, if there is one
 * @param divergence where code and history part, if the run is parked for that
 * @param workers those that live on the run's queue
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
      WorkerId workerId,
      boolean draining,
      String hostname,
      long pid,
      List<TypeVersion> types,
      int slots,
      int used) {

    public LiveWorker {
      types = List.copyOf(types);
    }

    public boolean serves(RunTarget target) {
      return !draining && types.contains(new TypeVersion(target.workflowType(), target.version()));
    }

    public boolean servesTypeOf(RunTarget target) {
      return types.stream().anyMatch(type -> type.workflowType().equals(target.workflowType()));
    }

    /** The worker for a person. */
    public String label() {
      return "%s (%s, process %d)".formatted(workerId, hostname, pid);
    }
  }

  public Situation {
    waits = List.copyOf(waits);
    steps = List.copyOf(steps);
    workers = List.copyOf(workers);
    elsewhere = List.copyOf(elsewhere);
  }
}
