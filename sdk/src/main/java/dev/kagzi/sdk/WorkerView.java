package dev.kagzi.sdk;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A worker as the server saw it when it was asked. Immutable and thread-safe.
 *
 * @param id its id, which it gets with each registration
 * @param queue the task queue it serves
 * @param status whether it takes work
 * @param health how well it is, by the age of its last heartbeat
 * @param types what it can execute
 * @param slots how many runs it holds at most
 * @param slotsUsed how many it holds now
 * @param completed how many runs have completed on it
 * @param failed how many runs have failed on it
 * @param registeredAt when it came
 * @param lastHeartbeatAt when it was heard of last
 * @param leftAt when it left or was found dead; empty while it is there
 * @param origin where it comes from
 * @param labels what was said about it when it was built
 */
public record WorkerView(
    String id,
    String queue,
    Status status,
    Health health,
    List<VersionedType> types,
    int slots,
    int slotsUsed,
    long completed,
    long failed,
    Instant registeredAt,
    Instant lastHeartbeatAt,
    Optional<Instant> leftAt,
    Origin origin,
    Map<String, String> labels) {

  /** Whether a worker takes work. */
  public enum Status {
    /** It takes work. */
    ONLINE,
    /** It finishes what it holds and takes nothing new. */
    DRAINING,
    /** It has left or was found dead. */
    OFFLINE,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }

  /** How well a worker is. */
  public enum Health {
    /** It is heard of regularly. */
    HEALTHY,
    /** It has been silent for a while, or drains. */
    DEGRADED,
    /** It has been silent for too long, or is gone. */
    UNHEALTHY,
    /** Something that this SDK has no word for. */
    UNKNOWN
  }

  /**
   * The process that a worker is part of, in its own words.
   *
   * @param hostname the machine
   * @param pid the number of the process there
   * @param instanceId what tells workers of one process apart
   * @param buildVersion the version of the application; empty if it says none
   * @param sdk the name and version of its SDK
   * @param runtime what it runs on, such as {@code Java 25.0.1}
   */
  public record Origin(
      String hostname,
      long pid,
      String instanceId,
      String buildVersion,
      String sdk,
      String runtime) {}

  public WorkerView {
    types = List.copyOf(types);
    labels = Map.copyOf(labels);
  }
}
