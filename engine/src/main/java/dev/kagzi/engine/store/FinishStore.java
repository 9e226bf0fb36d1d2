package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The end of a run: its row moves to history. */
public final class FinishStore {

  /** An end that a worker reports. */
  public record Finish(Fence fence, RunEnding ending) {}

  /**
   * Compare and move, with everything that only a live run has: whoever deletes the row wrote the
   * end, and nobody else ever will.
   */
  private static final String MOVE_TO_HISTORY =
      """
      WITH ending AS (
        SELECT * FROM unnest(
          :runIds::uuid[], :epochs::int4[], :statuses::text[], :outputs::bytea[],
          :outputMetadata::text[], :errors::text[], :failedSteps::text[])
        AS e(run_id, lease_epoch, status, output, output_metadata, error, failed_step_key)
      ), moved AS (
        DELETE FROM kagzi.workflow_runs r
        USING ending e
        WHERE r.run_id = e.run_id AND r.lease_epoch = e.lease_epoch AND r.status = 'RUNNING'
        RETURNING r.*
      ), waits AS (
        DELETE FROM kagzi.run_waits w USING moved WHERE w.run_id = moved.run_id
      ), steps AS (
        DELETE FROM kagzi.running_steps s USING moved WHERE s.run_id = moved.run_id
      )
      INSERT INTO kagzi.finished_runs (
        run_id, namespace_id, external_id, task_queue, workflow_type, version, status, lease_epoch,
        failures, crashes, retries, finished_by, retry_policy, step_timeout, lease_duration,
        execution_timeout, deadline_at, on_failure_workflow, on_failure_task_queue,
        handler_for_run_id, parent_run_id, parent_step_key, parent_close_policy,
        continued_from_run_id, forked_from_run_id, schedule_group_id, fire_at, labels, traceparent,
        output, output_metadata, error, failed_step_key, created_at, started_at, finished_at)
      SELECT m.run_id, m.namespace_id, m.external_id, m.task_queue, m.workflow_type, m.version,
             e.status, m.lease_epoch, m.failures, m.crashes, m.retries, m.locked_by,
             m.retry_policy, m.step_timeout, m.lease_duration, m.execution_timeout, m.deadline_at,
             m.on_failure_workflow, m.on_failure_task_queue, m.handler_for_run_id, m.parent_run_id,
             m.parent_step_key, m.parent_close_policy, m.continued_from_run_id,
             m.forked_from_run_id, m.schedule_group_id, m.fire_at, m.labels, m.traceparent,
             e.output, e.output_metadata::jsonb, e.error::jsonb, e.failed_step_key, m.created_at,
             m.started_at, :now
      FROM moved m JOIN ending e USING (run_id)
      RETURNING run_id
      """;

  /** Ends runs and says which of them were held under the reported epoch and have now ended. */
  public Set<RunId> moveToHistory(Transaction tx, List<Finish> finishes, Instant now) {
    return new HashSet<>(
        tx.query(MOVE_TO_HISTORY)
            .set("now", now)
            .uuids("runIds", finishes, finish -> finish.fence().runId().value())
            .ints("epochs", finishes, finish -> finish.fence().epoch())
            .texts("statuses", finishes, finish -> finish.ending().status().name())
            .byteArrays("outputs", finishes, FinishStore::output)
            .texts("outputMetadata", finishes, FinishStore::outputMetadata)
            .texts("errors", finishes, finish -> Json.ofFailure(error(finish)))
            .texts("failedSteps", finishes, FinishStore::failedStep)
            .list(row -> new RunId(row.uuid("run_id"))));
  }

  private static byte @Nullable [] output(Finish finish) {
    return finish.ending() instanceof RunEnding.Completed completed
        ? completed.output().data()
        : null;
  }

  private static @Nullable String outputMetadata(Finish finish) {
    Payload output =
        finish.ending() instanceof RunEnding.Completed completed
            ? completed.output()
            : Payload.EMPTY;
    return Json.ofMap(output.metadata());
  }

  private static @Nullable Failure error(Finish finish) {
    return finish.ending() instanceof RunEnding.Failed failed ? failed.error() : null;
  }

  private static @Nullable String failedStep(Finish finish) {
    return finish.ending() instanceof RunEnding.Failed failed ? failed.failedStepKey() : null;
  }
}
