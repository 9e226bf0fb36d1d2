package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Successors of runs that continue as new. */
public final class ContinuationStore {

  /**
   * A run that goes on as another.
   *
   * @param version null for the same
   * @param taskQueue null for the same
   */
  public record Continuation(
      RunId ended,
      RunId successor,
      Payload input,
      @Nullable String version,
      @Nullable String taskQueue) {}

  /**
   * Events that nobody has consumed, published values and the waits of a parent go along. A value
   * is as old as none, so that the first that the successor publishes is newer.
   */
  private static final String HAND_ON =
      """
      WITH chain AS (
        SELECT * FROM unnest(:ended::uuid[], :successors::uuid[]) AS c(ended, successor)
      ), events AS (
        UPDATE kagzi.run_events e SET run_id = c.successor
        FROM chain c
        WHERE e.run_id = c.ended AND e.consumed_by IS NULL AND e.run_id = ANY(:ended::uuid[])
      ), states AS (
        UPDATE kagzi.run_states s SET run_id = c.successor, lease_epoch = 0, sequence = 0
        FROM chain c WHERE s.run_id = c.ended AND s.run_id = ANY(:ended::uuid[])
      ), items AS (
        UPDATE kagzi.child_items i SET child_run_id = c.successor
        FROM chain c WHERE i.child_run_id = c.ended AND i.child_run_id = ANY(:ended::uuid[])
      )
      UPDATE kagzi.run_waits w SET child_run_id = c.successor
      FROM chain c WHERE w.child_run_id = c.ended AND w.child_run_id = ANY(:ended::uuid[])
      """;

  /** Gives the successors what others have brought for the runs or wait for. */
  public void handOn(Transaction tx, Collection<Continuation> runs) {
    tx.query(HAND_ON)
        .uuids("ended", runs, run -> run.ended().value())
        .uuids("successors", runs, run -> run.successor().value())
        .update();
  }

  /** What a successor has from the run before it. */
  private static final String INHERITED =
      """
      namespace_id, external_id, workflow_type, retry_policy, step_timeout, lease_duration,
      execution_timeout, on_failure_workflow, on_failure_task_queue, handler_for_run_id,
      parent_run_id, parent_step_key, parent_close_policy, schedule_group_id, fire_at, labels,
      traceparent\
      """;

  private static final String INSERT =
      """
      WITH asked AS (
        SELECT * FROM unnest(
          :ended::uuid[], :successors::uuid[], :versions::text[], :queues::text[],
          :inputs::bytea[], :inputMetadata::text[])
        AS a(ended, successor, new_version, new_queue, input, input_metadata)
      ), payloads AS (
        INSERT INTO kagzi.workflow_payloads (run_id, input, input_metadata)
        SELECT successor, input, input_metadata::jsonb FROM asked
      )
      INSERT INTO kagzi.workflow_runs (
        %1$s, run_id, task_queue, version, status, available_at, deadline_at,
        continued_from_run_id, created_at)
      SELECT %1$s, a.successor, COALESCE(a.new_queue, task_queue),
             COALESCE(a.new_version, version), 'PENDING', :now, %2$s, a.ended, :now
      FROM asked a
      CROSS JOIN LATERAL (SELECT * FROM kagzi.finished_runs WHERE run_id = a.ended) f
      RETURNING namespace_id, task_queue, workflow_type, version
      """
          .formatted(INHERITED, RetryStore.DEADLINE_ANEW);

  /** Writes the successors and says what they are. */
  public List<RunTarget> insert(Transaction tx, Collection<Continuation> runs, Instant now) {
    return tx.query(INSERT)
        .uuids("ended", runs, run -> run.ended().value())
        .uuids("successors", runs, run -> run.successor().value())
        .texts("versions", runs, Continuation::version)
        .texts("queues", runs, Continuation::taskQueue)
        .byteArrays("inputs", runs, run -> run.input().data())
        .texts("inputMetadata", runs, run -> Json.ofMap(run.input().metadata()))
        .set("now", now)
        .list(Rows::target);
  }
}
