package dev.kagzi.engine;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.WorkerPatience;
import java.time.Duration;

/**
 * The engine's settings.
 *
 * @param patience how long workers may be silent and still be shown as well
 * @param retentionDays how long ended runs are kept where their namespace says nothing; 0: for ever
 */
public record EngineConfig(
    Leases leases,
    Intervals intervals,
    GroupCommit.Size commit,
    Node node,
    int retentionDays,
    Firing firing,
    Steps steps,
    WorkerPatience patience) {

  private static final int USUAL_RETENTION_DAYS = 30;
  private static final Firing USUAL_FIRING = new Firing(100, 1000);

  /** The same with the usual retention and patience, and schedules fired as usual. */
  public EngineConfig(Leases leases, Intervals intervals, GroupCommit.Size commit, Node node) {
    this(
        leases,
        intervals,
        commit,
        node,
        USUAL_RETENTION_DAYS,
        USUAL_FIRING,
        Steps.USUAL,
        WorkerPatience.USUAL);
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

  /**
   * What applies to steps about which neither they nor their run nor their worker say more.
   *
   * @param retry how often and how patiently they are tried again
   * @param timeout how long one attempt may take
   * @param warn from how many on a run's worker warns
   * @param most how many a run may have
   */
  public record Steps(RetryPolicy retry, Duration timeout, int warn, int most) {
    private static final int USUAL_WARN = 10_000;
    private static final int USUAL_MOST = 50_000;

    static final Steps USUAL = new Steps(RetryPolicy.DEFAULT, Duration.ofMinutes(10));

    /** With the usual limits. */
    public Steps(RetryPolicy retry, Duration timeout) {
      this(retry, timeout, USUAL_WARN, USUAL_MOST);
    }

    StepCap cap() {
      return new StepCap(most);
    }
  }

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
