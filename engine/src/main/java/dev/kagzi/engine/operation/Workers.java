package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.WorkerStore;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registry of workers: who is there, who has gone, and what happens to the runs they held. */
public final class Workers {

  private static final Logger log = LoggerFactory.getLogger(Workers.class);

  /** How long a worker is believed to be as it was last seen, so that polls need no query. */
  private static final Duration BELIEF = Duration.ofSeconds(5);

  private static final int SWEEP_LIMIT = 1000;

  private record Seen(boolean draining, Instant at) {}

  private final Database database;
  private final InstantSource clock;
  private final HeartbeatBatch heartbeats;
  private final Namespaces namespaces;
  private final WorkSignals signals;
  private final TimeOrderedIds ids;
  private final WorkerStore store = new WorkerStore();
  private final LeaseStore leases = new LeaseStore();
  private final StepStore steps = new StepStore();
  private final ReleaseStore releases = new ReleaseStore();
  private final ConcurrentMap<WorkerId, Seen> seen = new ConcurrentHashMap<>();

  public Workers(
      Database database,
      InstantSource clock,
      HeartbeatBatch heartbeats,
      Namespaces namespaces,
      WorkSignals signals) {
    this.database = database;
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.namespaces = namespaces;
    this.signals = signals;
    this.ids = new TimeOrderedIds(clock);
  }

  /** Makes a worker known; an earlier life of the same process ends here and its runs are free. */
  public WorkerId register(WorkerRegistration worker) {
    namespaces.requireKnown(worker.queue().namespace());
    WorkerId workerId = new WorkerId(ids.next());
    Set<QueueKey> freed =
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          List<WorkerId> older = store.replaceOlder(tx, worker, now);
          store.insert(tx, workerId, worker, null, now);
          store.insertTypes(tx, worker, now);
          store.insertEvents(tx, List.of(workerId), "STARTED", worker.buildVersion(), now);
          return older.isEmpty()
              ? Set.<QueueKey>of()
              : takeBack(tx, older, "replaced by a newer registration", now);
        });
    freed.forEach(signals::workReady);
    log.info(
        "worker {} registered: queue {}, {} types, {} slots, {}:{}",
        workerId,
        worker.queue().taskQueue(),
        worker.types().size(),
        worker.maxConcurrent(),
        worker.location().hostname(),
        worker.location().pid());
    return workerId;
  }

  /**
   * Takes a sign of life and extends the leases of the runs the worker says it holds.
   *
   * @throws EngineException if the worker is unknown or was declared offline
   */
  public HeartbeatBatch.Reply heartbeat(Heartbeat heartbeat) {
    HeartbeatBatch.Reply reply = heartbeats.beat(heartbeat);
    WorkerId worker = heartbeat.beat().worker();
    if (!reply.accepted()) {
      seen.remove(worker);
      throw unknown(worker);
    }
    seen.put(worker, new Seen(reply.shouldDrain(), clock.instant()));
    return reply;
  }

  /** Marks a worker that takes no more work and still finishes what it holds. */
  public void drain(WorkerId worker) {
    boolean changed =
        database.inTransaction(tx -> {
          boolean draining = store.setDraining(tx, worker);
          if (draining) {
            store.insertEvents(tx, List.of(worker), "STOPPING", "asked by itself", clock.instant());
          }
          return draining;
        });
    seen.remove(worker);
    if (changed) {
      log.info("worker {} is draining", worker);
    }
  }

  /** Forgets a worker that has left in good order. What it still held goes back without a crash. */
  public void deregister(WorkerId worker) {
    Set<QueueKey> freed =
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          if (!store.setOffline(tx, worker, now)) {
            return Set.<QueueKey>of();
          }
          store.insertEvents(tx, List.of(worker), "STOPPED", "deregistered", now);
          return handBack(tx, worker, now);
        });
    seen.remove(worker);
    freed.forEach(signals::workReady);
    log.info("worker {} deregistered", worker);
  }

  /** Declares a worker dead that has been silent since a moment, and frees its runs. */
  public boolean declareDead(WorkerId worker, Instant silentSince) {
    Set<QueueKey> freed = new HashSet<>();
    boolean dead =
        database.inTransaction(tx -> {
          freed.clear();
          Instant now = clock.instant();
          if (!store.setOfflineIfSilent(tx, worker, silentSince, now)) {
            return false;
          }
          freed.addAll(takeBack(tx, List.of(worker), "its connection ended", now));
          return true;
        });
    seen.remove(worker);
    freed.forEach(signals::workReady);
    return dead;
  }

  /** Declares all workers dead whose last sign of life is older than a moment. */
  public int declareStaleDead(Instant before) {
    Set<QueueKey> freed = new HashSet<>();
    int dead =
        database.inTransaction(tx -> {
          freed.clear();
          Instant now = clock.instant();
          List<WorkerId> stale = store.setStaleOffline(tx, before, now);
          if (!stale.isEmpty()) {
            freed.addAll(takeBack(tx, stale, "no heartbeat", now));
          }
          return stale.size();
        });
    freed.forEach(signals::workReady);
    return dead;
  }

  /** Frees runs whose lease ended before a moment; returns how many. */
  public int sweepLeases(Instant endedBefore) {
    Set<QueueKey> freed = new HashSet<>();
    int swept =
        database.inTransaction(tx -> {
          freed.clear();
          List<LiveRun> expired = leases.lockExpired(tx, endedBefore, SWEEP_LIMIT);
          if (!expired.isEmpty()) {
            freed.addAll(free(tx, expired, clock.instant()));
          }
          return expired.size();
        });
    freed.forEach(signals::workReady);
    return swept;
  }

  private Set<QueueKey> takeBack(
      Transaction tx, Collection<WorkerId> workers, String reason, Instant now) {
    store.insertEvents(tx, workers, "OFFLINE", reason, now);
    List<LiveRun> held = leases.lockHeldBy(tx, workers);
    log.info("workers {} went offline ({}), {} runs are free", workers, reason, held.size());
    return held.isEmpty() ? Set.of() : free(tx, held, now);
  }

  private Set<QueueKey> handBack(Transaction tx, WorkerId worker, Instant now) {
    List<LiveRun> held = leases.lockHeldBy(tx, List.of(worker));
    List<Fence> fences =
        held.stream()
            .map(run -> new Fence(run.target().namespace(), run.runId(), run.epoch()))
            .toList();
    if (!fences.isEmpty()) {
      steps.interrupt(tx, releases.release(tx, fences, now), now);
    }
    return queuesOf(held);
  }

  private Set<QueueKey> free(Transaction tx, List<LiveRun> held, Instant now) {
    List<RunId> runIds = held.stream().map(LiveRun::runId).toList();
    leases.takeBack(tx, runIds, now);
    steps.interrupt(tx, runIds, now);
    return queuesOf(held);
  }

  private static Set<QueueKey> queuesOf(List<LiveRun> runs) {
    Set<QueueKey> queues = new HashSet<>();
    runs.forEach(run -> queues.add(run.target().queue()));
    return queues;
  }

  boolean isDraining(String namespace, WorkerId worker) {
    Seen known = seen.get(worker);
    Instant now = clock.instant();
    if (known != null && now.isBefore(known.at().plus(BELIEF))) {
      return known.draining();
    }
    String status = database.inTransaction(tx -> store.findStatus(tx, namespace, worker));
    if (status == null || status.equals("OFFLINE")) {
      throw unknown(worker);
    }
    boolean draining = status.equals("DRAINING");
    seen.put(worker, new Seen(draining, now));
    return draining;
  }

  private static EngineException unknown(WorkerId worker) {
    return new EngineException(
        ErrorCode.WORKER_NOT_FOUND,
        "worker %s is not registered or was declared offline; register again".formatted(worker));
  }
}
