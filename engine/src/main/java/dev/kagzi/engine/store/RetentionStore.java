package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/** What has become old enough to go. */
public final class RetentionStore {

  /** What belongs to runs and is not cut at days. */
  private static final List<String> BELONGINGS =
      List.of("run_events", "run_states", "child_items", "child_maps", "ended_parents");

  /** What of a namespace ended before this may go. */
  public record Cutoff(String namespace, Instant before) {}

  private static final String CUTOFFS =
      """
      SELECT namespace_id, COALESCE(retention_days, :defaultDays) AS days
      FROM kagzi.namespaces
      WHERE COALESCE(retention_days, :defaultDays) > 0
      """;

  /** The namespaces from which something may go; the others keep everything. */
  public List<Cutoff> cutoffs(Transaction tx, int defaultDays, Instant now) {
    return tx.query(CUTOFFS)
        .set("defaultDays", defaultDays)
        .list(row ->
            new Cutoff(row.text("namespace_id"), now.minus(Duration.ofDays(row.integer("days")))));
  }

  /** Schedules have ids like runs, and nothing in the tables of their day. */
  private static final String HAS_LIVE_RUNS =
      """
      SELECT EXISTS (
        SELECT 1 FROM kagzi.workflow_runs
        WHERE run_id >= :from AND run_id < :to AND status NOT IN ('SCHEDULED', 'PAUSED')) AS found
      """;

  /** Whether a run that was started on a day has not ended. */
  public boolean hasLiveRuns(Transaction tx, LocalDate day) {
    return onDay(tx.query(HAS_LIVE_RUNS), day).only(row -> row.bool("found"));
  }

  private static final String MUST_STAY =
      """
      SELECT EXISTS (
        SELECT 1 FROM kagzi.finished_runs f
        LEFT JOIN unnest(:namespaces::text[], :before::timestamptz[]) AS c(namespace_id, before)
          ON c.namespace_id = f.namespace_id
        WHERE f.run_id >= :from AND f.run_id < :to
          AND (c.before IS NULL OR f.finished_at > c.before)) AS found
      """;

  /** Whether an ended run of a day is still to be kept. */
  public boolean mustStay(Transaction tx, LocalDate day, List<Cutoff> cutoffs) {
    return onDay(tx.query(MUST_STAY), day)
        .texts("namespaces", cutoffs, Cutoff::namespace)
        .instants("before", cutoffs, Cutoff::before)
        .only(row -> row.bool("found"));
  }

  private static final String OLD_RUNS =
      """
      SELECT run_id FROM kagzi.finished_runs
      WHERE namespace_id = :namespace AND run_id >= :from AND run_id < :to
        AND finished_at <= :before
      LIMIT :limit
      """;

  /** Runs of a day that may go, though others of it may not. */
  public List<RunId> oldRuns(Transaction tx, LocalDate day, Cutoff cutoff, int limit) {
    return onDay(tx.query(OLD_RUNS), day)
        .set("namespace", cutoff.namespace())
        .set("before", cutoff.before())
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final List<String> DELETE_BELONGINGS =
      BELONGINGS.stream()
          .map(
              """
              DELETE FROM kagzi.%1$s
              WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM kagzi.%1$s WHERE run_id >= :from AND run_id < :to LIMIT :limit))
              """
                  ::formatted)
          .toList();

  /** Removes some of what belonged to the runs of a day, of which none is left; says how much. */
  public int deleteBelongings(Transaction tx, LocalDate day, int limit) {
    return DELETE_BELONGINGS.stream()
        .mapToInt(statement -> onDay(tx.query(statement), day).set("limit", limit).update())
        .sum();
  }

  private static Query onDay(Query query, LocalDate day) {
    return query
        .set("from", PartitionStore.border(day))
        .set("to", PartitionStore.border(day.plusDays(1)));
  }

  private static final String DELETE_BATCH_ITEMS =
      """
      DELETE FROM kagzi.batch_items
      WHERE ctid = ANY(ARRAY(
        SELECT i.ctid
        FROM kagzi.batches b
        JOIN kagzi.batch_items i ON i.batch_id = b.batch_id
        WHERE b.namespace_id = :namespace AND b.finished_at <= :before
        LIMIT :limit))
      """;

  private static final String DELETE_BATCHES =
      """
      DELETE FROM kagzi.batches b
      WHERE b.namespace_id = :namespace AND b.finished_at <= :before
        AND NOT EXISTS (SELECT 1 FROM kagzi.batch_items i WHERE i.batch_id = b.batch_id)
      """;

  /** Removes old batches with their items, some at a time; says how many rows have gone. */
  public int deleteBatches(Transaction tx, Cutoff cutoff, int limit) {
    int items = ofNamespace(tx.query(DELETE_BATCH_ITEMS), cutoff).set("limit", limit).update();
    return items + ofNamespace(tx.query(DELETE_BATCHES), cutoff).update();
  }

  private static Query ofNamespace(Query query, Cutoff cutoff) {
    return query.set("namespace", cutoff.namespace()).set("before", cutoff.before());
  }

  private static final String LOCK_WITH_OLD_FIRINGS =
      """
      SELECT s.run_id
      FROM kagzi.workflow_runs s
      WHERE s.namespace_id = :namespace AND s.status IN ('SCHEDULED', 'PAUSED')
        AND EXISTS (
          SELECT 1 FROM kagzi.schedule_firings f
          WHERE f.schedule_id = s.run_id
            AND f.fire_at < s.last_fired_at AND f.recorded_at <= :before)
      ORDER BY s.run_id
      LIMIT :limit
      FOR UPDATE OF s
      """;

  /** Schedules with ticks that may go; nobody fires or changes them until the transaction ends. */
  public List<RunId> lockWithOldFirings(Transaction tx, Cutoff cutoff, int limit) {
    return ofNamespace(tx.query(LOCK_WITH_OLD_FIRINGS), cutoff)
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  /**
   * The last tick of each schedule stays: it says from where on to look for the next. The schedule
   * remembers the newest of its fired ticks that go, so that no backfill takes them for new.
   */
  private static final String DELETE_FIRINGS =
      """
      WITH gone AS (
        DELETE FROM kagzi.schedule_firings
        WHERE ctid = ANY(ARRAY(
          SELECT f.ctid
          FROM kagzi.workflow_runs s
          JOIN kagzi.schedule_firings f ON f.schedule_id = s.run_id
          WHERE s.run_id = ANY(:schedules::uuid[]) AND s.status IN ('SCHEDULED', 'PAUSED')
            AND f.fire_at < s.last_fired_at AND f.recorded_at <= :before
          LIMIT :limit))
        RETURNING schedule_id, fire_at, outcome
      ), remembered AS (
        UPDATE kagzi.workflow_runs s
        SET ticks_pruned_up_to = greatest(s.ticks_pruned_up_to, newest.fire_at)
        FROM (SELECT schedule_id, max(fire_at) AS fire_at
              FROM gone WHERE outcome = 'FIRED' GROUP BY schedule_id) AS newest
        WHERE s.run_id = newest.schedule_id AND s.status IN ('SCHEDULED', 'PAUSED')
      )
      SELECT count(*)::int4 AS n FROM gone
      """;

  /** Removes some records of ticks of schedules that the caller has locked; says how many. */
  public int deleteFirings(Transaction tx, List<RunId> schedules, Cutoff cutoff, int limit) {
    return tx.query(DELETE_FIRINGS)
        .uuids("schedules", schedules, RunId::value)
        .set("before", cutoff.before())
        .set("limit", limit)
        .only(row -> row.integer("n"));
  }

  /** From one schedule to the next by index: ticks are many and schedules are few. */
  private static final String FIND_GONE =
      """
      WITH RECURSIVE ticked AS (
        (SELECT schedule_id FROM kagzi.schedule_firings ORDER BY schedule_id LIMIT 1)
        UNION ALL
        SELECT (SELECT f.schedule_id FROM kagzi.schedule_firings f
                WHERE f.schedule_id > t.schedule_id ORDER BY f.schedule_id LIMIT 1)
        FROM ticked t
        WHERE t.schedule_id IS NOT NULL
      )
      SELECT t.schedule_id
      FROM ticked t
      WHERE t.schedule_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM kagzi.workflow_runs s WHERE s.run_id = t.schedule_id)
      LIMIT :limit
      """;

  /** Schedules that were deleted and of which there are still ticks. */
  public List<RunId> findGone(Transaction tx, int limit) {
    return tx.query(FIND_GONE).set("limit", limit).list(row -> new RunId(row.uuid("schedule_id")));
  }

  private static final String DELETE_FIRINGS_OF =
      """
      DELETE FROM kagzi.schedule_firings
      WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM kagzi.schedule_firings WHERE schedule_id = :scheduleId LIMIT :limit))
      """;

  /** Removes some ticks of a schedule that was deleted; says how many. */
  public int deleteFiringsOf(Transaction tx, RunId scheduleId, int limit) {
    return tx.query(DELETE_FIRINGS_OF)
        .set("scheduleId", scheduleId.value())
        .set("limit", limit)
        .update();
  }
}
