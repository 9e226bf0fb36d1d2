package dev.kagzi.engine.operation;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.commit.Endings;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.WorkerStore;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes runs back from workers that are gone. Safe at any time and from any server: whatever the
 * old holder still sends shows an old epoch or meets a run that is not RUNNING.
 */
public final class Recovery {

  private static final Logger log = LoggerFactory.getLogger(Recovery.class);

  /** Runs freed in one transaction; the rest follows in the next turn. */
  private static final int SWEEP_LIMIT = 1000;

  /**
   * What a transaction freed, to be announced after its commit.
   *
   * @param runs how many runs, those that ended among them
   * @param tally what was taken from workers
   */
  record Freed(int runs, Set<QueueKey> queues, Endings.Ended ended, Tally tally) {
    static final Freed NOTHING = new Freed(0, Set.of(), Endings.Ended.nothing(), new Tally());
  }

  private final Database database;
  private final InstantSource clock;
  private final Signals signals;
  private final int maxCrashes;
  private final WorkerStore workers = new WorkerStore();
  private final LeaseStore leases = new LeaseStore();
  private final RunStore runs = new RunStore();
  private final StepStore steps = new StepStore();
  private final ReleaseStore releases = new ReleaseStore();
  private final Endings endings;

  /**
   * @param maxCrashes how often in a row a run may lose its worker without progress before it is
   *     taken to be the cause
   */
  public Recovery(
      Database database, InstantSource clock, Endings endings, Signals signals, int maxCrashes) {
    this.database = database;
    this.clock = clock;
    this.endings = endings;
    this.signals = signals;
    this.maxCrashes = maxCrashes;
  }

  /**
   * Declares a worker dead unless it has given a sign of life since a moment, and frees its runs.
   *
   * @param stream the number of the stream whose end made it suspect; 0 if it had none
   * @return whether it was declared dead
   */
  public boolean declareDead(WorkerId worker, Instant silentSince, long stream, String reason) {
    Freed freed =
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          return workers.setOfflineIfSilent(tx, worker, silentSince, stream, now)
              ? takeBack(tx, List.of(worker), reason, now)
              : null;
        });
    if (freed == null) {
      return false;
    }
    announce(freed);
    return true;
  }

  /** Declares all workers dead whose last sign of life is older than a moment. */
  public int declareStaleDead(Instant before) {
    Set<WorkerId> dead = new HashSet<>();
    announce(
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          dead.clear();
          dead.addAll(workers.setStaleOffline(tx, before, now));
          return dead.isEmpty() ? Freed.NOTHING : takeBack(tx, dead, "no heartbeat", now);
        }));
    return dead.size();
  }

  /**
   * Declares servers dead that have been silent since before a moment, and whoever lived in them.
   */
  public int declareNodesDead(Instant silentBefore) {
    Set<WorkerId> dead = new HashSet<>();
    announce(
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          dead.clear();
          dead.addAll(workers.setOfflineWithNodes(tx, silentBefore, now));
          return dead.isEmpty()
              ? Freed.NOTHING
              : takeBack(tx, dead, "the application it lived in is gone", now);
        }));
    return dead.size();
  }

  /** Frees runs whose lease ended before a moment; returns how many. */
  public int sweepLeases(Instant endedBefore) {
    Set<RunId> swept = new HashSet<>();
    announce(
        database.inTransaction(tx -> {
          List<LiveRun> expired = lockExpired(tx, endedBefore);
          swept.clear();
          expired.forEach(run -> swept.add(run.runId()));
          return expired.isEmpty() ? Freed.NOTHING : free(tx, expired, clock.instant());
        }));
    return swept.size();
  }

  /**
   * Frees runs that were claimed for a worker in the moment in which it was given up; returns how
   * many. A claim does not lock the worker it claims for, so the two may miss each other.
   */
  public int freeOrphans() {
    Set<RunId> freed = new HashSet<>();
    announce(
        database.inTransaction(tx -> {
          List<LiveRun> orphaned = lockOrphaned(tx);
          freed.clear();
          orphaned.forEach(run -> freed.add(run.runId()));
          return orphaned.isEmpty() ? Freed.NOTHING : free(tx, orphaned, clock.instant());
        }));
    return freed.size();
  }

  // Some of these runs may end, which is news for their parents: those are locked with them, in the
  // one order, and only then is it decided which runs it is about.

  private List<LiveRun> lockExpired(Transaction tx, Instant endedBefore) {
    List<RunId> found = leases.findExpired(tx, endedBefore, SWEEP_LIMIT);
    if (found.isEmpty()) {
      return List.of();
    }
    runs.lock(tx, found, found);
    return leases.readExpired(tx, found, endedBefore);
  }

  private List<LiveRun> lockOrphaned(Transaction tx) {
    Map<RunId, WorkerId> found = leases.findOrphaned(tx, SWEEP_LIMIT);
    if (found.isEmpty()) {
      return List.of();
    }
    return runs.lock(tx, found.keySet(), found.keySet()).values().stream()
        .filter(run -> run.lockedBy() != null && run.lockedBy().equals(found.get(run.runId())))
        .toList();
  }

  private List<LiveRun> lockHeldBy(Transaction tx, Collection<WorkerId> workers) {
    List<RunId> found = leases.findHeldBy(tx, workers);
    if (found.isEmpty()) {
      return List.of();
    }
    return runs.lock(tx, found, found).values().stream()
        .filter(run -> run.lockedBy() != null && workers.contains(run.lockedBy()))
        .toList();
  }

  /** Frees the runs of workers that are marked offline in the same transaction. */
  Freed takeBack(Transaction tx, Collection<WorkerId> dead, String reason, Instant now) {
    workers.insertEvents(tx, dead, "OFFLINE", reason, now);
    List<LiveRun> held = lockHeldBy(tx, dead);
    log.info("worker offline ({}): {}; runs made free: {}", reason, dead, held.size());
    return held.isEmpty() ? Freed.NOTHING : free(tx, held, now);
  }

  /** Frees the runs of a worker that left in good order: no crash is counted. */
  Freed handBack(Transaction tx, WorkerId worker, Instant now) {
    List<LiveRun> held = leases.lockHeldBy(tx, List.of(worker));
    if (held.isEmpty()) {
      return Freed.NOTHING;
    }
    List<Fence> fences =
        held.stream()
            .map(run -> new Fence(run.target().namespace(), run.runId(), run.epoch()))
            .toList();
    List<RunId> released = releases.release(tx, fences, now);
    steps.interrupt(tx, released, now);
    return new Freed(released.size(), queuesOf(held), Endings.Ended.nothing(), new Tally());
  }

  private Freed free(Transaction tx, List<LiveRun> held, Instant now) {
    List<RunId> runIds = held.stream().map(LiveRun::runId).toList();
    steps.interrupt(tx, runIds, now);
    Map<RunId, Integer> crashes = leases.takeBack(tx, runIds, now);
    List<End> hopeless =
        held.stream()
            .filter(run -> crashes.getOrDefault(run.runId(), 0) >= maxCrashes)
            .map(run -> crashLoop(run, crashes.getOrDefault(run.runId(), 0)))
            .toList();
    Endings.Ended ended = endings.end(tx, hopeless, now);
    ended.runs().forEach(runId -> log.error("run {} failed: its workers kept dying", runId));
    Tally tally = new Tally();
    held.forEach(run -> tally.note(to -> to.leaseExpired(run.target().queue())));
    return new Freed(held.size(), queuesOf(held), ended, tally);
  }

  private static End crashLoop(LiveRun run, int crashes) {
    Failure error =
        new Failure(
            ErrorKind.CRASH_LOOP,
            ErrorKind.CRASH_LOOP.text(),
            List.of(),
            ("Workflow crashed and exhausted all retry attempts: its worker was lost %d times in a"
                    + " row without a settled step in between")
                .formatted(crashes),
            "",
            null);
    StopRequest stop = run.stop();
    RunStatus status = stop == null ? RunStatus.FAILED : stop.kind().end();
    return End.fromOutside(run.target().namespace(), run.runId(), status, error, null);
  }

  private static Set<QueueKey> queuesOf(List<LiveRun> runs) {
    Set<QueueKey> queues = new HashSet<>();
    runs.forEach(run -> queues.add(run.target().queue()));
    return queues;
  }

  /** Spreads the news after the commit. */
  void announce(Freed freed) {
    freed.queues().forEach(signals.work()::workReady);
    freed.ended().announce(signals);
    freed.tally().tell(signals.telemetry());
  }
}
