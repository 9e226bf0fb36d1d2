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
  public Health healthAt(Instant now, WorkerPatience patience) {
    Duration silence = Duration.between(lastHeartbeatAt, now);
    if (status == WorkerStatus.OFFLINE || silence.compareTo(patience.timeout()) >= 0) {
      return Health.UNHEALTHY;
    }
    boolean well = status == WorkerStatus.ONLINE && silence.compareTo(patience.warning()) < 0;
    return well ? Health.HEALTHY : Health.DEGRADED;
  }
}
