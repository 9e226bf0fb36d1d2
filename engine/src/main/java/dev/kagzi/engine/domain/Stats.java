package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a namespace.
 *
 * @param live live runs by state, now
 * @param liveIsLowerBound there are more than were counted
 * @param buckets earliest first
 * @param countedFrom runs that began before this were not looked at; null if all of the window were
 */
public record Stats(
    Map<RunStatus, Long> live,
    boolean liveIsLowerBound,
    List<Bucket> buckets,
    Summary summary,
    int workersOnline,
    int schedulesLate,
    @Nullable Instant countedFrom) {

  /** What happened within one stretch of time. */
  public record Bucket(
      Instant from, long started, long completed, long failed, long cancelled, long timedOut) {

    public static Bucket empty(Instant from) {
      return new Bucket(from, 0, 0, 0, 0, 0);
    }
  }

  /** Quantiles of a duration; null where nothing was measured. */
  public record Quantiles(@Nullable Duration p50, @Nullable Duration p95, @Nullable Duration p99) {}

  /**
   * The whole window.
   *
   * @param scheduleToStart from when a run might first be claimed to when it was
   * @param duration from its first claim to its end
   * @param leasesExpired how often a run lost its worker
   */
  public record Summary(Quantiles scheduleToStart, Quantiles duration, long leasesExpired) {}
}
