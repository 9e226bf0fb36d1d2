package dev.kagzi.engine;

import dev.kagzi.engine.commit.GroupCommit;
import java.time.Duration;

/**
 * The engine's settings.
 *
 * @param version what this build calls itself, shown to operators
 */
public record EngineConfig(
    Leases leases, Intervals intervals, GroupCommit.Size commit, String version) {

  /** How long work is trusted to its worker, and when it is not. */
  public record Leases(
      Duration lease,
      Duration heartbeatInterval,
      Duration suspectGrace,
      Duration workerStale,
      int maxRecoveryAttempts) {}

  /** How often the loops turn. */
  public record Intervals(
      Duration nodeBeat, Duration coordinator, Duration fallbackPoll, Duration pollTimeout) {}

  /** What applies where nobody said otherwise. */
  public static EngineConfig defaults() {
    return new EngineConfig(
        new Leases(
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            10),
        new Intervals(
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30)),
        new GroupCommit.Size(2, 256),
        "development");
  }
}
