package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.WorkerStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registry of workers: who comes, who gives signs of life, who leaves. */
public final class Workers {

  private static final Logger log = LoggerFactory.getLogger(Workers.class);

  /** How long a worker is believed to be as it was last seen, so that polls need no query. */
  private static final Duration BELIEF = Duration.ofSeconds(5);

  /** Parked runs that a registration wakes at most; the rest come by their own time. */
  private static final int WAKE_LIMIT = 10_000;

  /** Registrations of one process that come between a look for older ones and our own. */
  private static final int MAX_ATTEMPTS = 10;

  private record WorkerKey(String namespace, WorkerId worker) {}

  private final Database database;
  private final InstantSource clock;
  private final HeartbeatBatch heartbeats;
  private final Namespaces namespaces;
  private final Recovery recovery;
  private final TimeOrderedIds ids;
  private final WorkerStore store = new WorkerStore();
  private final ReleaseStore releases = new ReleaseStore();
  private final Remembered<WorkerKey, Boolean> draining;

  public Workers(
      Database database,
      InstantSource clock,
      HeartbeatBatch heartbeats,
      Namespaces namespaces,
      Recovery recovery) {
    this.database = database;
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.namespaces = namespaces;
    this.recovery = recovery;
    this.ids = new TimeOrderedIds(clock);
    this.draining = new Remembered<>(BELIEF, clock, this::lookWhetherDraining);
  }

  /** Makes a worker known; an earlier life of the same process ends here and its runs are free. */
  public WorkerId register(WorkerRegistration worker) {
    namespaces.requireKnown(worker.queue().namespace());
    AtomicReference<WorkerId> registered = new AtomicReference<>();
    Recovery.Freed freed =
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          // Minted in here, because a repetition finds the row of the first try as an older life.
          WorkerId workerId = new WorkerId(ids.next());
          registered.set(workerId);
          List<WorkerId> older = replaceOlder(tx, workerId, worker, now);
          store.insertTypes(tx, worker, now);
          store.insertEvents(
              tx, List.of(workerId), "STARTED", worker.software().buildVersion(), now);
          Recovery.Freed taken =
              older.isEmpty()
                  ? Recovery.Freed.NOTHING
                  : recovery.takeBack(tx, older, "replaced by a newer registration", now);
          // After the locks that may be waited for, because these never are.
          releases.wakeParked(tx, worker, WAKE_LIMIT, now);
          return taken;
        });
    recovery.announce(freed);
    WorkerId workerId = Objects.requireNonNull(registered.get());
    log.info(
        "worker {} registered: queue {}, types: {}, slots: {}, {}:{}",
        workerId,
        worker.queue().taskQueue(),
        worker.types().size(),
        worker.maxConcurrent(),
        worker.location().hostname(),
        worker.location().pid());
    return workerId;
  }

  /**
   * A process that was not answered registers again while its first call is still under way, maybe
   * at another server; the one that comes second waits for the first and then replaces it too.
   */
  private List<WorkerId> replaceOlder(
      Transaction tx, WorkerId workerId, WorkerRegistration worker, Instant now) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      List<WorkerId> older = store.replaceOlder(tx, worker, now);
      if (store.insert(tx, workerId, worker, now)) {
        return older;
      }
    }
    throw new EngineException(
        ErrorCode.OVERLOADED, "the same worker registers again and again: let it wait");
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
      throw unknown(worker);
    }
    return reply;
  }

  /** Numbers a new stream of a worker; empty if its namespace has no such worker. */
  public Optional<Long> streamOpened(String namespace, WorkerId worker) {
    return database.inTransaction(tx -> store.openStream(tx, namespace, worker));
  }

  /** Marks a worker that takes no more work and still finishes what it holds. */
  public void drain(String namespace, WorkerId worker) {
    drain(namespace, worker, "asked by itself");
  }

  /**
   * The same by somebody else's wish. It is handed nothing from now on, by no server, and hears of
   * it with its next heartbeat. One that drains already or has left stays as it is.
   *
   * @param reason for people who wonder later
   */
  public void drain(String namespace, WorkerId worker, String reason) {
    boolean changed =
        database.inTransaction(tx -> {
          boolean draining = store.setDraining(tx, namespace, worker);
          if (draining) {
            store.insertEvents(tx, List.of(worker), "STOPPING", reason, clock.instant());
          }
          return draining;
        });
    draining.forget(new WorkerKey(namespace, worker));
    if (changed) {
      log.info("worker {} is draining ({})", worker, reason);
    }
  }

  /**
   * Takes a worker offline by a person's wish, whatever it is doing: its runs go to others, without
   * a crash being counted, and what it still sends is refused. One that lives registers again, as
   * another worker.
   */
  public void takeOffline(String namespace, WorkerId worker, String reason) {
    leave(namespace, worker, "OFFLINE", reason);
  }

  /**
   * Forgets a worker that leaves in good order; what it still held goes back without a crash.
   *
   * @return how many runs went back
   */
  public int deregister(String namespace, WorkerId worker) {
    return leave(namespace, worker, "STOPPED", "deregistered");
  }

  private int leave(String namespace, WorkerId worker, String event, String reason) {
    Recovery.Freed freed =
        database.inTransaction(tx -> {
          Instant now = clock.instant();
          if (!store.setOffline(tx, namespace, worker, now)) {
            return Recovery.Freed.NOTHING;
          }
          store.insertEvents(tx, List.of(worker), event, reason, now);
          return recovery.handBack(tx, worker, now);
        });
    recovery.announce(freed);
    draining.forget(new WorkerKey(namespace, worker));
    log.info("worker {} has left ({}), runs made free: {}", worker, reason, freed.runs());
    return freed.runs();
  }

  /**
   * Whether a worker takes no more work.
   *
   * @throws EngineException if it is unknown or was declared offline
   */
  public boolean isDraining(String namespace, WorkerId worker) {
    return draining.get(new WorkerKey(namespace, worker));
  }

  private boolean lookWhetherDraining(WorkerKey key) {
    String status =
        database.inTransaction(tx -> store.findStatus(tx, key.namespace(), key.worker()));
    if (status == null || status.equals("OFFLINE")) {
      throw unknown(key.worker());
    }
    return status.equals("DRAINING");
  }

  private static EngineException unknown(WorkerId worker) {
    return new EngineException(
        ErrorCode.WORKER_NOT_FOUND,
        "Worker not found or offline: %s is not registered or was declared offline; register again"
            .formatted(worker));
  }
}
