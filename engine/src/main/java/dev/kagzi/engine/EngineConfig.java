package dev.kagzi.engine;

import dev.kagzi.engine.commit.GroupCommit;
import java.time.Duration;

/**
 * The engine's settings.
 *
 * @param retentionDays how long ended runs are kept where their namespace says nothing; 0: for ever
 */
public record EngineConfig(
    Leases leases,
    Intervals intervals,
    GroupCommit.Size commit,
    Node node,
    int retentionDays,
    Firing firing) {

  private static final int USUAL_RETENTION_DAYS = 30;
  private static final Firing USUAL_FIRING = new Firing(100, 1000);

  /** The same with the usual retention, and schedules fired as usual. */
  public EngineConfig(Leases leases, Intervals intervals, GroupCommit.Size commit, Node node) {
    this(leases, intervals, commit, node, USUAL_RETENTION_DAYS, USUAL_FIRING);
  }

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

  /**
   * This server as one of several.
   *
   * @param version what this build calls itself, shown to operators
   * @param deadAfter how long another server may be silent
   * @param embedded workers that register here live in this process and die with it
   */
  public record Node(String version, Duration deadAfter, boolean embedded) {}

  /** How much one look at the schedules does: schedules handled, runs started. */
  public record Firing(int maxSchedules, int maxRuns) {}

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
        new Node("development", Duration.ofSeconds(6), false));
  }
}
