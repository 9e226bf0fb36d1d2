package dev.kagzi.engine.operation;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ClaimStore;
import dev.kagzi.engine.store.ClaimStore.Outlook;
import dev.kagzi.engine.store.ClaimStore.Scan;
import dev.kagzi.engine.store.ClaimStore.Slot;
import dev.kagzi.engine.store.HistoryStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.WaitStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Claims runs with everything a worker needs to go on with them. */
final class Claims {

  /**
   * Who asks for what.
   *
   * @param slots room for one run each
   * @param unsure polls that may have been served before: they get what they were given then
   */
  record Demand(QueueKey queue, List<TypeVersion> types, List<Slot> slots, Set<Slot> unsure) {

    /** The same demand when nobody knows what became of it. */
    Demand again() {
      Set<Slot> all = new HashSet<>(unsure);
      all.addAll(slots);
      return new Demand(queue, types, slots, all);
    }
  }

  /**
   * What a claim brought.
   *
   * @param tasks the runs and the polls they are for, by claim id
   * @param nextDue when the next run of the same types will be due, if nothing more is due now
   * @param more more runs may be due than there was room for
   * @param tally what is counted once it is committed
   */
  record Claimed(
      Map<UUID, List<Task>> tasks, Optional<Instant> nextDue, boolean more, Tally tally) {}

  private final Database database;
  private final InstantSource clock;
  private final Duration lease;
  private final Telemetry telemetry;
  private final ClaimStore store = new ClaimStore();
  private final HistoryStore history = new HistoryStore();
  private final WaitStore waits = new WaitStore();
  private final ReleaseStore releases = new ReleaseStore();

  Claims(Database database, InstantSource clock, Duration lease, Telemetry telemetry) {
    this.database = database;
    this.clock = clock;
    this.lease = lease;
    this.telemetry = telemetry;
  }

  /**
   * Claims up to one run for each slot.
   *
   * @param floors where the search begins; moved up by what it finds
   */
  Claimed claim(Demand demand, ScanFloors floors) {
    Claimed claimed = claimSurely(demand, floors);
    claimed.tally().tell(telemetry);
    return claimed;
  }

  private Claimed claimSurely(Demand demand, ScanFloors floors) {
    try {
      return database.once(tx -> claim(tx, demand, floors));
    } catch (DatabaseException failure) {
      if (!failure.isConnectionLost()) {
        throw failure;
      }
      // Nobody knows whether the claim took effect: whatever carries its ids is its own.
      return database.inTransaction(tx -> claim(tx, demand.again(), floors));
    }
  }

  private Claimed claim(Transaction tx, Demand demand, ScanFloors floors) {
    Instant now = clock.instant();
    List<ClaimStore.Claimed> before =
        demand.unsure().isEmpty() ? List.of() : store.claimAgain(tx, demand.unsure(), lease, now);
    List<Slot> free = free(demand.slots(), before);
    List<Scan> scans = floors.scans(demand.types(), now);
    long asked = System.nanoTime();
    List<ClaimStore.Claimed> fresh =
        free.isEmpty() ? List.of() : store.claim(tx, demand.queue(), scans, free, lease, now);
    Tally tally = new Tally();
    if (!free.isEmpty()) {
      count(demand.queue(), fresh, Duration.ofNanos(System.nanoTime() - asked), tally, now);
    }
    boolean more = fresh.size() == free.size();
    List<Outlook> outlooks = more ? List.of() : store.outlook(tx, demand.queue(), scans, now);
    outlooks.forEach(outlook -> floors.raise(outlook.type(), outlook.oldest(), now));
    if (more) {
      oldest(fresh).forEach((type, dueAt) -> floors.raise(type, dueAt, now));
    }
    List<ClaimStore.Claimed> all = Stream.concat(before.stream(), fresh.stream()).toList();
    return new Claimed(fill(tx, all, tally, now), nextDue(outlooks), more, tally);
  }

  private static void count(
      QueueKey queue, List<ClaimStore.Claimed> fresh, Duration took, Tally tally, Instant now) {
    tally.note(to -> to.askedForWork(!fresh.isEmpty(), took));
    for (ClaimStore.Claimed run : fresh) {
      Duration waited = Duration.between(run.dueAt(), now);
      tally.note(to -> to.claimed(queue, waited.isNegative() ? Duration.ZERO : waited));
    }
  }

  /** A poll that has got its runs before gets no others besides. */
  private static List<Slot> free(List<Slot> slots, List<ClaimStore.Claimed> before) {
    if (before.isEmpty()) {
      return slots;
    }
    Set<UUID> served = before.stream().map(ClaimStore.Claimed::claimId).collect(Collectors.toSet());
    return slots.stream().filter(slot -> !served.contains(slot.claimId())).toList();
  }

  private static Optional<Instant> nextDue(List<Outlook> outlooks) {
    return outlooks.stream()
        .flatMap(outlook -> Stream.ofNullable(outlook.next()))
        .min(Comparator.naturalOrder());
  }

  private static Map<TypeVersion, Instant> oldest(List<ClaimStore.Claimed> claimed) {
    Map<TypeVersion, Instant> oldest = new HashMap<>();
    for (ClaimStore.Claimed run : claimed) {
      RunTarget target = run.claim().target();
      oldest.merge(
          new TypeVersion(target.workflowType(), target.version()),
          run.dueAt(),
          (one, other) -> one.isBefore(other) ? one : other);
    }
    return oldest;
  }

  /** Adds inputs and histories; timers that have rung are settled first, so history shows them. */
  private Map<UUID, List<Task>> fill(
      Transaction tx, List<ClaimStore.Claimed> claimed, Tally tally, Instant now) {
    if (claimed.isEmpty()) {
      return Map.of();
    }
    List<Task.Claim> claims = claimed.stream().map(ClaimStore.Claimed::claim).toList();
    List<RunId> all = claims.stream().map(Task.Claim::runId).toList();
    List<RunId> resumed =
        claims.stream().filter(claim -> !claim.firstClaim()).map(Task.Claim::runId).toList();
    Map<RunId, HistoryPage> histories = Map.of();
    if (!resumed.isEmpty()) {
      waits.endDue(tx, resumed, now);
      histories = history.firstPages(tx, resumed);
    }
    Map<RunId, Payload> inputs = store.inputs(tx, all);
    Map<UUID, List<Task>> tasks = new LinkedHashMap<>();
    for (ClaimStore.Claimed run : claimed) {
      RunId runId = run.claim().runId();
      Payload input = inputs.getOrDefault(runId, Payload.EMPTY);
      HistoryPage page = histories.getOrDefault(runId, HistoryPage.EMPTY);
      tasks
          .computeIfAbsent(run.claimId(), id -> new ArrayList<>())
          .add(new Task(run.claim(), input, page));
      if (!run.claim().firstClaim()) {
        String type = run.claim().target().workflowType();
        tally.note(to -> to.replayed(type, page.steps().size()));
      }
    }
    return tasks;
  }

  /** Claims runs that this transaction has inserted. */
  List<ClaimStore.Claimed> claimNew(
      Transaction tx, List<ClaimStore.Assignment> assignments, Instant now) {
    return store.claimNew(tx, assignments, lease, now);
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
    return watched.isEmpty() ? Map.of() : database.inTransaction(tx -> dueQueues(tx, watched));
  }

  Map<QueueKey, Instant> dueQueues(Transaction tx, List<ClaimStore.Watched> watched) {
    return watched.isEmpty() ? Map.of() : store.dueQueues(tx, watched);
  }
}
