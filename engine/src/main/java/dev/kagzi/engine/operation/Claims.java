package dev.kagzi.engine.operation;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ClaimStore;
import dev.kagzi.engine.store.ClaimStore.Demand;
import dev.kagzi.engine.store.HistoryStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.WaitStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Claims runs with everything a worker needs to go on with them. */
final class Claims {

  /** What a claim brought, and when the next run of the same types will be due. */
  record Claimed(List<Task> tasks, Optional<Instant> nextDue) {}

  private final Database database;
  private final InstantSource clock;
  private final Duration lease;
  private final ClaimStore store = new ClaimStore();
  private final HistoryStore history = new HistoryStore();
  private final WaitStore waits = new WaitStore();
  private final ReleaseStore releases = new ReleaseStore();
  private final RunStore runs = new RunStore();

  Claims(Database database, InstantSource clock, Duration lease) {
    this.database = database;
    this.clock = clock;
    this.lease = lease;
  }

  /**
   * Claims up to one run for each slot.
   *
   * @param slots a worker's id once for each run it can take
   */
  Claimed claim(QueueKey queue, List<TypeVersion> types, List<WorkerId> slots) {
    Demand demand = new Demand(queue, types, slots, UUID.randomUUID(), lease);
    try {
      return database.once(tx -> claim(tx, demand));
    } catch (DatabaseException failure) {
      if (!failure.isConnectionLost()) {
        throw failure;
      }
      // Nobody knows whether the claim took effect: whatever carries its id is ours.
      return database.inTransaction(tx -> readBack(tx, demand));
    }
  }

  private Claimed claim(Transaction tx, Demand demand) {
    Instant now = clock.instant();
    List<Task.Claim> claims = store.claim(tx, demand, now);
    Optional<Instant> nextDue =
        claims.size() < demand.slots().size()
            ? store.nextDue(tx, demand.queue(), demand.types(), now)
            : Optional.empty();
    return new Claimed(fill(tx, claims, now), nextDue);
  }

  private Claimed readBack(Transaction tx, Demand demand) {
    List<Task.Claim> claims = store.findClaimed(tx, demand.claimId());
    return new Claimed(fill(tx, claims, clock.instant()), Optional.empty());
  }

  /** Adds inputs and histories; timers that have rung are settled first, so history shows them. */
  private List<Task> fill(Transaction tx, List<Task.Claim> claims, Instant now) {
    if (claims.isEmpty()) {
      return List.of();
    }
    List<RunId> all = claims.stream().map(Task.Claim::runId).toList();
    List<RunId> resumed =
        claims.stream().filter(claim -> !claim.firstClaim()).map(Task.Claim::runId).toList();
    Map<RunId, HistoryPage> histories = Map.of();
    if (!resumed.isEmpty()) {
      waits.endDue(tx, resumed, now);
      histories = history.firstPages(tx, resumed);
    }
    Map<RunId, Payload> inputs = store.inputs(tx, all);
    Map<RunId, HistoryPage> found = histories;
    return claims.stream()
        .map(claim ->
            new Task(
                claim,
                inputs.getOrDefault(claim.runId(), Payload.EMPTY),
                found.getOrDefault(claim.runId(), HistoryPage.EMPTY)))
        .toList();
  }

  /**
   * A later page of the history of a run that a worker holds.
   *
   * @throws EngineException if it does not hold it
   */
  HistoryPage history(Fence fence, HistoryPage.Position after) {
    return database.inTransaction(tx -> {
      Optional<Run> run = runs.find(tx, fence.namespace(), fence.runId());
      if (run.isEmpty()) {
        throw Fencing.notFound(fence.runId());
      }
      if (run.get().status() != RunStatus.RUNNING || run.get().epoch() != fence.epoch()) {
        throw new EngineException(
            ErrorCode.LEASE_LOST, "run %s is held by another".formatted(fence.runId()));
      }
      return history.page(tx, fence.runId(), after);
    });
  }

  /** Undoes claims that could not be delivered; no crash is counted, because none happened. */
  void giveBack(List<Task> tasks) {
    List<Fence> fences =
        tasks.stream()
            .map(Task::claim)
            .map(claim -> new Fence(claim.target().namespace(), claim.runId(), claim.epoch()))
            .toList();
    database.inTransaction(tx -> releases.release(tx, fences, clock.instant()));
  }

  /** When each watched queue next has work, in one query for all. */
  Map<QueueKey, Instant> dueQueues(List<ClaimStore.Watched> watched) {
    return watched.isEmpty()
        ? Map.of()
        : database.inTransaction(tx -> store.dueQueues(tx, watched));
  }
}
