package dev.kagzi.engine.store;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs and steps whose time is up. */
public final class OverdueStore {

  /**
   * Runs past their deadline that nobody has asked to end, and runs that were asked and have had
   * their time to undo their work.
   */
  private static final String OVERDUE =
      """
      status IN ('PENDING', 'RUNNING', 'SLEEPING')
        AND (deadline_at <= :now AND stop_requested IS NULL
             OR stop_requested IS NOT NULL AND stop_requested_at <= :stoppedBefore)\
      """;

  private static final String FIND_OVERDUE_RUNS =
      """
      SELECT run_id
      FROM kagzi.workflow_runs
      WHERE %s
      LIMIT :limit
      """
          .formatted(OVERDUE);

  /** Some runs that are overdue; they are to be locked, and read again. */
  public List<RunId> findOverdueRuns(
      Transaction tx, Instant stoppedBefore, int limit, Instant now) {
    return tx.query(FIND_OVERDUE_RUNS)
        .set("stoppedBefore", stoppedBefore)
        .set("limit", limit)
        .set("now", now)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String READ_OVERDUE_RUNS =
      """
      SELECT %s
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND %s
      """
          .formatted(RunStore.LIVE_COLUMNS, OVERDUE);

  /** Those of the runs that are overdue still; the caller holds their locks. */
  public List<LiveRun> readOverdueRuns(
      Transaction tx, Collection<RunId> runIds, Instant stoppedBefore, Instant now) {
    return tx.query(READ_OVERDUE_RUNS)
        .uuids("runIds", runIds, RunId::value)
        .set("stoppedBefore", stoppedBefore)
        .set("now", now)
        .list(RunStore::readLive);
  }

  private static final String FIND_OVERDUE_STEPS =
      """
      SELECT DISTINCT run_id FROM (
        SELECT run_id FROM kagzi.running_steps
        WHERE timeout_at <= :before
        ORDER BY timeout_at
        LIMIT :limit) AS overdue
      """;

  /** Runs with an attempt that should have ended before a moment. */
  public List<RunId> findRunsWithOverdueSteps(Transaction tx, Instant before, int limit) {
    return tx.query(FIND_OVERDUE_STEPS)
        .set("before", before)
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  /** An attempt that its worker has not ended in time. */
  public record OverdueStep(
      RunId runId,
      String stepKey,
      int attempt,
      int seq,
      StepKind kind,
      int epoch,
      WorkerId worker,
      boolean atMostOnce,
      @Nullable RetryPolicy policy,
      StepTraits traits,
      Instant startedAt,
      Instant timeoutAt) {}

  private static final String READ_OVERDUE_STEPS =
      """
      SELECT * FROM kagzi.running_steps
      WHERE run_id = ANY(:runIds::uuid[]) AND timeout_at <= :before
      """;

  /** Reads again what is overdue in runs whose locks the caller holds. */
  public List<OverdueStep> readOverdueSteps(
      Transaction tx, Collection<RunId> runIds, Instant before) {
    return tx.query(READ_OVERDUE_STEPS)
        .uuids("runIds", runIds, RunId::value)
        .set("before", before)
        .list(OverdueStore::readStep);
  }

  private static OverdueStep readStep(Row row) {
    return new OverdueStep(
        new RunId(row.uuid("run_id")),
        row.text("step_key"),
        row.integer("attempt"),
        row.integer("seq"),
        StepKind.valueOf(row.text("kind")),
        row.integer("lease_epoch"),
        new WorkerId(row.uuid("worker_id")),
        row.bool("at_most_once"),
        Json.toPolicy(row.textOrNull("retry_policy")),
        new StepTraits(
            row.textOrNull("parallel_group_id"),
            row.textOrNull("parent_step_id"),
            row.bool("quiet"),
            row.bool("compensation")),
        row.instant("started_at"),
        Objects.requireNonNull(row.instantOrNull("timeout_at")));
  }

  private static final String TAKE_AWAY =
      """
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', available_at = :now, lease_until = NULL, locked_by = NULL,
          claim_id = NULL, lease_epoch = r.lease_epoch + 1
      WHERE r.run_id = ANY(:runIds::uuid[]) AND r.status = 'RUNNING'
      """;

  /**
   * Takes runs from workers that did not end an attempt in time, under a new epoch, so that nothing
   * they still send counts; the caller holds the locks.
   */
  public void takeAway(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(TAKE_AWAY).set("now", now).uuids("runIds", runIds, RunId::value).update();
  }
}
