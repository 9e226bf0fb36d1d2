package dev.kagzi.engine;

import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.loop.DeadlineEnforcer;
import dev.kagzi.engine.loop.Duty;
import dev.kagzi.engine.loop.LeaseSweeper;
import dev.kagzi.engine.loop.NodeSweeper;
import dev.kagzi.engine.loop.StepTimeoutEnforcer;
import dev.kagzi.engine.loop.WorkerSweeper;
import dev.kagzi.engine.operation.Deadlines;
import dev.kagzi.engine.operation.Recovery;
import dev.kagzi.engine.operation.StepTimeouts;
import dev.kagzi.engine.operation.Timers;
import dev.kagzi.engine.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done about runs when a beat of this server shows that it is or soon falls due.
 * Each duty has turns of its own, so that one that fails or hangs keeps no other from its work.
 */
final class Duties implements AutoCloseable {

  private final EngineConfig config;
  private final InstantSource clock;
  private final Duty leases;
  private final Duty nodes;
  private final Duty workers;
  private final Duty deadlines;
  private final Duty stepTimeouts;

  Duties(
      EngineConfig config,
      InstantSource clock,
      Timers timers,
      Recovery recovery,
      Deadlines deadlines,
      StepTimeouts stepTimeouts) {
    this.config = config;
    this.clock = clock;
    LeaseSweeper leaseSweeper = new LeaseSweeper(recovery);
    NodeSweeper nodeSweeper = new NodeSweeper(recovery, config.node().deadAfter());
    WorkerSweeper workerSweeper = new WorkerSweeper(recovery, config.leases().workerStale());
    this.leases = new Duty("lease-sweep", timers, () -> leaseSweeper.runOnce(clock.instant()));
    this.nodes = new Duty("node-sweep", timers, () -> nodeSweeper.runOnce(clock.instant()));
    this.workers = new Duty("worker-sweep", timers, () -> workerSweeper.runOnce(clock.instant()));
    this.deadlines = new Duty("deadlines", timers, new DeadlineEnforcer(deadlines)::runOnce);
    this.stepTimeouts =
        new Duty("step-timeouts", timers, new StepTimeoutEnforcer(stepTimeouts)::runOnce);
  }

  /**
   * Calls for what a look at the database shows. After a gap everybody gets the time for a
   * heartbeat before anybody is given up.
   *
   * @param steadyFor since when this server's own beats have come without a gap
   */
  void callFor(NodeStore.Look look, Duration steadyFor) {
    EngineConfig.Leases terms = config.leases();
    if (look.leasesExpired() && steadyFor.compareTo(terms.heartbeatInterval()) >= 0) {
      leases.callAfter(Duration.ZERO);
    }
    if (look.othersSilent() && steadyFor.compareTo(config.node().deadAfter()) >= 0) {
      nodes.callAfter(Duration.ZERO);
    }
    if (look.workersSilent() && steadyFor.compareTo(terms.heartbeatInterval()) >= 0) {
      workers.callAfter(Duration.ZERO);
    }
    call(deadlines, look.nextDeadline());
    Instant timeout = look.nextStepTimeout();
    if (timeout != null && steadyFor.compareTo(terms.suspectGrace()) >= 0) {
      call(stepTimeouts, timeout.plus(StepTimeouts.GRACE));
    }
  }

  /** What falls due before the next beat is waited for exactly; the rest the next beat will see. */
  private void call(Duty duty, @Nullable Instant due) {
    if (due != null) {
      Duration wait = Duration.between(clock.instant(), due);
      if (wait.compareTo(config.intervals().nodeBeat().multipliedBy(2)) < 0) {
        duty.callAfter(wait);
      }
    }
  }

  List<LoopPulse> pulses() {
    return all().stream().map(Duty::pulse).toList();
  }

  @Override
  public void close() {
    all().forEach(Duty::close);
  }

  private List<Duty> all() {
    return List.of(leases, nodes, workers, deadlines, stepTimeouts);
  }
}
