package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.List;

/** Branches of runs that are given up because of what became of another. */
public final class BranchStore {

  /** A step about to be cancelled. */
  public record Cancellation(Fence fence, WorkerId worker, CancelledStep step) {}

  /**
   * Fenced and write-once, like every outcome: a step that is settled stays as it is. The attempt
   * that runs is the one that is cancelled; where none does, it is the one that would have come.
   */
  private static final String CANCEL =
      """
      WITH named AS (
        SELECT c.* FROM unnest(
          :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :seqs::int4[],
          :kinds::text[], :startedAt::timestamptz[], :groups::text[], :parents::text[],
          :quiet::bool[], :compensations::bool[])
        AS c(run_id, lease_epoch, worker_id, step_key, seq, kind, started_at, parallel_group_id,
             parent_step_id, quiet, compensation)
        CROSS JOIN LATERAL (
          SELECT 1 FROM kagzi.workflow_runs w
          WHERE w.run_id = c.run_id AND w.lease_epoch = c.lease_epoch AND w.status = 'RUNNING'
          LIMIT 1) held
      ), begun AS (
        DELETE FROM kagzi.running_steps s
        USING named c
        WHERE s.run_id = c.run_id AND s.step_key = c.step_key AND s.run_id = ANY(:runIds::uuid[])
        RETURNING s.run_id, s.step_key, s.attempt, s.started_at
      ), awaited AS (
        DELETE FROM kagzi.run_waits s
        USING named c
        WHERE s.run_id = c.run_id AND s.step_key = c.step_key AND s.run_id = ANY(:runIds::uuid[])
        RETURNING s.run_id, s.step_key, s.wake_at, s.timeout_at, s.event_name, s.child_run_id
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id,
        parallel_group_id, parent_step_id, quiet, compensation, wake_at, timeout_at, event_name,
        child_run_id, started_at, finished_at)
      SELECT c.run_id, c.step_key,
             GREATEST(b.attempt,
               1 + (SELECT COALESCE(max(s.attempt), 0) FROM kagzi.step_runs s
                    WHERE s.run_id = c.run_id AND s.step_key = c.step_key)),
             c.seq, c.kind, 'CANCELLED', true, c.lease_epoch, c.worker_id, c.parallel_group_id,
             c.parent_step_id, c.quiet, c.compensation, a.wake_at, a.timeout_at, a.event_name,
             a.child_run_id, COALESCE(b.started_at, c.started_at), :now
      FROM named c
      LEFT JOIN begun b ON b.run_id = c.run_id AND b.step_key = c.step_key
      LEFT JOIN awaited a ON a.run_id = c.run_id AND a.step_key = c.step_key
      WHERE NOT EXISTS (
        SELECT 1 FROM kagzi.step_runs s
        WHERE s.run_id = c.run_id AND s.step_key = c.step_key
          AND s.settled AND s.superseded_at IS NULL)
      ON CONFLICT DO NOTHING
      """;

  /** Settles steps as cancelled, unless they are settled already. */
  public void cancel(Transaction tx, List<Cancellation> cancellations, Instant now) {
    tx.query(CANCEL)
        .set("now", now)
        .uuids("runIds", cancellations, one -> one.fence().runId().value())
        .ints("epochs", cancellations, one -> one.fence().epoch())
        .uuids("workers", cancellations, one -> one.worker().value())
        .texts("stepKeys", cancellations, one -> one.step().stepKey())
        .ints("seqs", cancellations, one -> one.step().seq())
        .texts("kinds", cancellations, one -> one.step().kind().name())
        .instants("startedAt", cancellations, one -> one.step().startedAt())
        .texts("groups", cancellations, one -> one.step().traits().parallelGroup())
        .texts("parents", cancellations, one -> one.step().traits().parentStep())
        .booleans("quiet", cancellations, one -> one.step().traits().quiet())
        .booleans("compensations", cancellations, one -> one.step().traits().compensation())
        .update();
  }
}
