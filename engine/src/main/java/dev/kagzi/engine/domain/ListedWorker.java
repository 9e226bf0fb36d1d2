package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A worker as people see it. */
public record ListedWorker(
    WorkerId workerId,
    WorkerStatus status,
    WorkerRegistration registration,
    Tally tally,
    Instant registeredAt,
    Instant lastHeartbeatAt,
    @Nullable Instant deregisteredAt) {

  /** A worker that was heard of within this time is well: one heartbeat may come late. */
  private static final Duration FRESH = Duration.ofSeconds(15);

  /** As long as nobody takes its runs from it: the lease. */
  private static final Duration STALE = Duration.ofSeconds(30);

  /**
   * What its heartbeats have reported.
   *
   * @param active runs it held at the last one
   */
  public record Tally(int active, long completed, long failed) {}

  /**
   * Something that happened to it.
   *
   * @param type STARTED, STOPPING, STOPPED or OFFLINE
   */
  public record Event(String type, Instant at, String reason) {}

  /** How well it is, judged by how long ago it was heard of. */
  public Health healthAt(Instant now) {
    Duration silence = Duration.between(lastHeartbeatAt, now);
    if (status == WorkerStatus.OFFLINE || silence.compareTo(STALE) >= 0) {
      return Health.UNHEALTHY;
    }
    boolean well = status == WorkerStatus.ONLINE && silence.compareTo(FRESH) < 0;
    return well ? Health.HEALTHY : Health.DEGRADED;
  }
}
