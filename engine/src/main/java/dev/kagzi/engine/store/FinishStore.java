package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a run: its row moves to history. */
public final class FinishStore {

  /**
   * An end about to be written.
   *
   * @param epoch the epoch under which a worker must hold the run; null for an end from outside,
   *     which counts whoever holds the run and whether anybody does
   * @param continuedAs the run that goes on where this one ends: then nobody who waits for the
   *     result has it yet
   */
  public record End(
      String namespace,
      RunId runId,
      @Nullable Integer epoch,
      RunStatus status,
      @Nullable Payload output,
      @Nullable Failure error,
      @Nullable String failedStepKey,
      @Nullable String reason,
      @Nullable RunId continuedAs) {

    public End(
        String namespace,
        RunId runId,
        @Nullable Integer epoch,
        RunStatus status,
        @Nullable Payload output,
        @Nullable Failure error,
        @Nullable String failedStepKey,
        @Nullable String reason) {
      this(namespace, runId, epoch, status, output, error, failedStepKey, reason, null);
    }

    /** Whether another run goes on where this one ends, so that a parent goes on waiting. */
    public boolean isContinuation() {
      return continuedAs != null;
    }

    /** An end that is nobody's result. */
    public static End fromOutside(
        String namespace,
        RunId runId,
        RunStatus status,
        @Nullable Failure error,
        @Nullable String reason) {
      return new End(namespace, runId, null, status, null, error, null, reason);
    }
  }

  /**
   * A run that has ended.
   *
   * @param parent the run that has started it, if one has
   * @param hasChildren whether it has started any
   * @param handlerFor the run whose failure it was to handle, if it was
   */
  public record Moved(
      RunId runId,
      RunTarget target,
      Instant createdAt,
      @Nullable RunId parent,
      boolean hasChildren,
      @Nullable RunId handlerFor) {}

  /** What a run takes along into history as it is. */
  static final String KEPT =
      """
      run_id, namespace_id, external_id, task_queue, workflow_type, version, lease_epoch, failures,
      crashes, retries, retry_policy, step_timeout, lease_duration, execution_timeout, deadline_at,
      on_failure_workflow, on_failure_task_queue, handler_for_run_id, parent_run_id,
      parent_step_key, parent_close_policy, continued_from_run_id, forked_from_run_id,
      schedule_group_id, fire_at, start_at, labels, traceparent, created_at, started_at\
      """;

  /**
   * Compare and move, with everything that only a live run has: whoever deletes the row wrote the
   * end, and nobody else ever will. What still ran or waited is settled as cancelled, so that no
   * reader takes it for alive.
   */
  private static final String MOVE_TO_HISTORY =
      """
      WITH ending AS (
        SELECT * FROM unnest(
          :namespaces::text[], :runIds::uuid[], :epochs::int4[], :statuses::text[],
          :outputs::bytea[], :outputMetadata::text[], :errors::text[], :failedSteps::text[],
          :reasons::text[], :successors::uuid[])
        AS e(end_namespace, run_id, held_epoch, end_status, output, output_metadata, error,
             failed_step_key, reason, successor)
      ), moved AS (
        DELETE FROM kagzi.workflow_runs r
        USING ending e
        WHERE r.run_id = e.run_id AND r.namespace_id = e.end_namespace
          AND r.run_id = ANY(:runIds::uuid[])
          AND (r.status = 'RUNNING' AND r.lease_epoch = e.held_epoch
               OR e.held_epoch IS NULL AND r.status IN ('PENDING', 'RUNNING', 'SLEEPING'))
        RETURNING r.*
      ), waits AS (
        DELETE FROM kagzi.run_waits w USING moved m
        WHERE w.run_id = m.run_id AND w.run_id = ANY(:runIds::uuid[])
        RETURNING w.*, m.lease_epoch
      ), steps AS (
        DELETE FROM kagzi.running_steps s USING moved m
        WHERE s.run_id = m.run_id AND s.run_id = ANY(:runIds::uuid[])
        RETURNING s.*
      ), cancelled_steps AS (
        INSERT INTO kagzi.step_runs (
          run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id,
          parallel_group_id, parent_step_id, quiet, compensation, started_at, finished_at)
        SELECT run_id, step_key, attempt, seq, kind, 'CANCELLED', true, lease_epoch, worker_id,
               parallel_group_id, parent_step_id, quiet, compensation, started_at, :now
        FROM steps
        ON CONFLICT DO NOTHING
      ), cancelled_waits AS (
        INSERT INTO kagzi.step_runs (
          run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, wake_at, timeout_at,
          event_name, child_run_id, parallel_group_id, parent_step_id, started_at, finished_at)
        SELECT run_id, step_key,
               1 + COALESCE((SELECT max(s.attempt) FROM kagzi.step_runs s
                             WHERE s.run_id = waits.run_id AND s.step_key = waits.step_key), 0),
               seq,
               CASE kind WHEN 'TIMER' THEN 'SLEEP' WHEN 'EVENT' THEN 'EVENT'
                         ELSE 'CHILD_WORKFLOW' END,
               'CANCELLED', true, lease_epoch, wake_at, timeout_at, event_name, child_run_id,
               parallel_group_id, parent_step_id, since, :now
        FROM waits
        WHERE kind <> 'RETRY'
        ON CONFLICT DO NOTHING
      ), parents AS (
        INSERT INTO kagzi.ended_parents (run_id, namespace_id, ended_at)
        SELECT run_id, namespace_id, :now FROM moved WHERE has_children
        ON CONFLICT DO NOTHING
      ), history AS (
        INSERT INTO kagzi.finished_runs (
          %1$s,
          status, finished_by, output, output_metadata, error, failed_step_key, stop_reason,
          continued_as_run_id, finished_at)
        SELECT %1$s,
               e.end_status, m.locked_by, e.output, e.output_metadata::jsonb, e.error::jsonb,
               e.failed_step_key, COALESCE(e.reason, m.stop_reason), e.successor, :now
        FROM moved m JOIN ending e USING (run_id)
      )
      SELECT run_id, namespace_id, task_queue, workflow_type, version, created_at, parent_run_id,
             has_children, handler_for_run_id
      FROM moved
      """
          .formatted(KEPT);

  /** Ends runs and says which of them have ended by this. */
  public List<Moved> moveToHistory(Transaction tx, List<End> ends, Instant now) {
    return tx.query(MOVE_TO_HISTORY)
        .set("now", now)
        .texts("namespaces", ends, End::namespace)
        .uuids("runIds", ends, end -> end.runId().value())
        .ints("epochs", ends, End::epoch)
        .texts("statuses", ends, end -> end.status().name())
        .byteArrays("outputs", ends, end -> Rows.dataOrNull(end.output()))
        .texts("outputMetadata", ends, end -> Rows.metadataOrNull(end.output()))
        .texts("errors", ends, end -> Json.ofFailure(end.error()))
        .texts("failedSteps", ends, End::failedStepKey)
        .texts("reasons", ends, End::reason)
        .uuids("successors", ends, end -> Rows.idOrNull(end.continuedAs()))
        .list(row ->
            new Moved(
                new RunId(row.uuid("run_id")),
                Rows.target(row),
                row.instant("created_at"),
                Rows.runOrNull(row, "parent_run_id"),
                row.bool("has_children"),
                Rows.runOrNull(row, "handler_for_run_id")));
  }
}
