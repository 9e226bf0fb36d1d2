package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A task queue and how it copes. */
public record ListedQueue(String taskQueue, Runs runs, Crew crew, Pace pace) {

  /**
   * Live runs.
   *
   * @param ready those that could be claimed now
   * @param oldestReadyAt since when the oldest of them could
   * @param areLowerBounds counting stopped at a limit
   * @param unserved what ready runs need and no online worker serves
   */
  public record Runs(
      long ready,
      @Nullable Instant oldestReadyAt,
      long running,
      long sleeping,
      long retrying,
      boolean areLowerBounds,
      List<TypeVersion> unserved) {
    public Runs {
      unserved = List.copyOf(unserved);
    }
  }

  /** Who serves it. */
  public record Crew(int online, int slotsUsed, int slotsTotal) {
    public static final Crew NOBODY = new Crew(0, 0, 0);
  }

  /** Runs per minute, lately. */
  public record Pace(double started, double finished, double failed) {
    public static final Pace NONE = new Pace(0, 0, 0);
  }
}
