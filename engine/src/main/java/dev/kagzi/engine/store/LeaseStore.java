package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Leases: extending them, finding expired ones, taking runs back. */
public final class LeaseStore {

  /** A run that a worker says it holds. */
  public record Held(WorkerId worker, RunId runId, int epoch) {}

  /** PostgreSQL compares ids byte by byte, and Java by signed numbers. */
  private static final Comparator<Held> AS_ROWS_ARE_LOCKED =
      Comparator.comparing(
          held -> held.runId().value(),
          Comparator.comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
              .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned));

  /**
   * Sets the end of each lease to now plus its length: never adds, never shortens. The rows are
   * locked in the order in which they are named, which is the one order that every batch uses, and
   * all of them before the first is changed, which a join does not promise: a start under the id of
   * a changed run waits for this transaction, and may hold the next row. One worker may hold
   * thousands, so each is looked up by itself. Only the unindexed lease end changes, so the update
   * is HOT.
   */
  private static final String EXTEND =
      """
      WITH held AS MATERIALIZED (
        SELECT r.run_id
        FROM unnest(:runIds::uuid[], :epochs::int4[], :workers::uuid[])
          AS h(run_id, lease_epoch, worker_id)
        CROSS JOIN LATERAL (
          SELECT run_id FROM kagzi.workflow_runs r
          WHERE r.run_id = h.run_id AND r.lease_epoch = h.lease_epoch AND r.status = 'RUNNING'
            AND r.locked_by = h.worker_id
          LIMIT 1
          FOR NO KEY UPDATE) r
      )
      UPDATE kagzi.workflow_runs r
      SET lease_until = GREATEST(r.lease_until,
            :now + COALESCE(r.lease_duration, :leaseMillis * interval '1 millisecond'))
      WHERE r.run_id = ANY(ARRAY(SELECT held.run_id FROM held))
      RETURNING r.run_id, r.lease_epoch, r.locked_by, r.stop_requested, r.stop_reason,
                r.stop_requested_at
      """;

  /**
   * Extends leases and says which, and which of the runs have been asked to end; whatever is not
   * among them is lost to its worker.
   */
  public Map<Held, Optional<StopRequest>> extend(
      Transaction tx, Collection<Held> held, Duration lease, Instant now) {
    Map<Held, Optional<StopRequest>> extended = new HashMap<>();
    List<Held> inOrder = held.stream().sorted(AS_ROWS_ARE_LOCKED).toList();
    tx.query(EXTEND)
        .uuids("runIds", inOrder, run -> run.runId().value())
        .ints("epochs", inOrder, Held::epoch)
        .uuids("workers", inOrder, run -> run.worker().value())
        .set("leaseMillis", lease.toMillis())
        .set("now", now)
        .list(row -> Map.entry(readHeld(row), Optional.ofNullable(Rows.stopOrNull(row))))
        .forEach(entry -> extended.put(entry.getKey(), entry.getValue()));
    return extended;
  }

  private static Held readHeld(Row row) {
    return new Held(
        new WorkerId(row.uuid("locked_by")),
        new RunId(row.uuid("run_id")),
        row.integer("lease_epoch"));
  }

  private static final String FIND_EXPIRED =
      """
      SELECT run_id
      FROM kagzi.workflow_runs
      WHERE locked_by IS NOT NULL AND lease_until < :before
      LIMIT :limit
      """;

  /** Some runs whose lease is over; they are to be locked, and read again. */
  public List<RunId> findExpired(Transaction tx, Instant before, int limit) {
    return tx.query(FIND_EXPIRED)
        .set("before", before)
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String READ_EXPIRED =
      """
      SELECT %s
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND status = 'RUNNING' AND lease_until < :before
      """
          .formatted(RunStore.LIVE_COLUMNS);

  /** Those of the runs whose lease was not extended meanwhile; the caller holds the locks. */
  public List<LiveRun> readExpired(Transaction tx, Collection<RunId> runIds, Instant before) {
    return tx.query(READ_EXPIRED)
        .uuids("runIds", runIds, RunId::value)
        .set("before", before)
        .list(RunStore::readLive);
  }

  private static final String FIND_HELD_BY =
      """
      SELECT run_id
      FROM kagzi.workflow_runs
      WHERE locked_by IS NOT NULL AND locked_by = ANY(:workers::uuid[])
      """;

  /** The runs that workers hold; they are to be locked, and looked at again. */
  public List<RunId> findHeldBy(Transaction tx, Collection<WorkerId> workers) {
    return tx.query(FIND_HELD_BY)
        .uuids("workers", workers, WorkerId::value)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String LOCK_HELD_BY =
      """
      SELECT %s
      FROM kagzi.workflow_runs
      WHERE locked_by IS NOT NULL AND locked_by = ANY(:workers::uuid[])
      ORDER BY run_id
      FOR NO KEY UPDATE
      """
          .formatted(RunStore.LIVE_COLUMNS);

  public List<LiveRun> lockHeldBy(Transaction tx, Collection<WorkerId> workers) {
    return tx.query(LOCK_HELD_BY)
        .uuids("workers", workers, WorkerId::value)
        .list(RunStore::readLive);
  }

  private static final String FIND_ORPHANED =
      """
      SELECT run_id, locked_by
      FROM kagzi.workflow_runs
      WHERE locked_by IS NOT NULL
        AND locked_by IN (SELECT worker_id FROM kagzi.workers WHERE status = 'OFFLINE')
      LIMIT :limit
      """;

  /**
   * Runs of workers that are gone, and whose: claimed for them while they were being given up. They
   * are to be locked, and looked at again.
   */
  public Map<RunId, WorkerId> findOrphaned(Transaction tx, int limit) {
    Map<RunId, WorkerId> found = new HashMap<>();
    tx.query(FIND_ORPHANED)
        .set("limit", limit)
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), new WorkerId(row.uuid("locked_by"))))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  /**
   * The caller holds the rows' locks and knows that each is RUNNING. A crash counts towards the
   * limit only as long as no step has been settled since the one before.
   */
  private static final String TAKE_BACK =
      """
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', available_at = :now, lease_until = NULL, locked_by = NULL,
          claim_id = NULL, crashes = r.crashes + 1, settled_at_crash = s.settled,
          crashes_in_row =
            CASE WHEN s.settled > r.settled_at_crash THEN 1 ELSE r.crashes_in_row + 1 END
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT count(*)::int4 AS settled FROM kagzi.step_runs
        WHERE run_id = a.run_id AND settled AND superseded_at IS NULL) s
      WHERE r.run_id = a.run_id AND r.status = 'RUNNING' AND r.run_id = ANY(:runIds::uuid[])
      RETURNING r.run_id, r.crashes_in_row
      """;

  /** Makes runs claimable whose worker is gone; says how often each crashed without progress. */
  public Map<RunId, Integer> takeBack(Transaction tx, Collection<RunId> runIds, Instant now) {
    Map<RunId, Integer> crashes = new HashMap<>();
    tx.query(TAKE_BACK)
        .uuids("runIds", runIds, RunId::value)
        .set("now", now)
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), row.integer("crashes_in_row")))
        .forEach(entry -> crashes.put(entry.getKey(), entry.getValue()));
    return crashes;
  }
}
