package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Row;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs as callers see them, read alike from the rows of live and of ended ones. */
final class RunRows {

  /** What both tables have, under the same name. */
  private static final String COMMON =
      """
      run_id, namespace_id, external_id, task_queue, workflow_type, version, status, lease_epoch,
      failures, crashes, retries, labels, traceparent, created_at, started_at, deadline_at,
      retry_policy, extract(epoch FROM step_timeout) * 1000 AS step_timeout_ms,
      extract(epoch FROM lease_duration) * 1000 AS lease_duration_ms,
      extract(epoch FROM execution_timeout) * 1000 AS execution_timeout_ms, on_failure_workflow,
      on_failure_task_queue, forked_from_run_id, handler_for_run_id, parent_run_id,
      parent_step_key, continued_from_run_id, schedule_group_id, fire_at, stop_reason\
      """;

  /**
   * Of rows called {@code r}. The lease end of a running run is shown as its availability: then it
   * can be claimed again. Its error is that of the last attempt while it waits for its own next
   * one; a run with a wait waits for a step.
   */
  static final String LIVE =
      COMMON
          + """
          , wait_reason, COALESCE(available_at, lease_until) AS available_at, locked_by AS worker,
          stop_requested, stop_requested_at, NULL::timestamptz AS finished_at,
          NULL::uuid AS continued_as_run_id, NULL::bytea AS output, NULL::jsonb AS output_metadata,
          CASE WHEN wait_reason = 'RETRY' AND last_error IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM kagzi.run_waits w WHERE w.run_id = r.run_id)
               THEN last_error END AS error,
          NULL::text AS failed_step_key\
          """;

  private static final String OF_AN_END =
      """
      , NULL::text AS wait_reason, NULL::timestamptz AS available_at, finished_by AS worker,
      NULL::text AS stop_requested, NULL::timestamptz AS stop_requested_at, finished_at,
      continued_as_run_id\
      """;

  static final String ENDED =
      COMMON + OF_AN_END + ", output, output_metadata, error, failed_step_key";

  /** The same without what may be large. */
  static final String ENDED_WITHOUT_OUTPUT =
      COMMON
          + OF_AN_END
          + ", NULL::bytea AS output, NULL::jsonb AS output_metadata, error, failed_step_key";

  private RunRows() {}

  static Run read(Row row) {
    RunStatus status = RunStatus.valueOf(row.text("status"));
    return new Run(
        new RunId(row.uuid("run_id")),
        Rows.target(row),
        status,
        row.textOrNull("external_id"),
        row.textOrNull("wait_reason"),
        row.instantOrNull("available_at"),
        Rows.workerOrNull(row, "worker"),
        row.integer("lease_epoch"),
        row.integer("failures"),
        row.integer("crashes"),
        row.integer("retries"),
        readLineage(row),
        Rows.policies(row),
        Json.toMap(row.textOrNull("labels")),
        row.textOrNull("traceparent"),
        readTimes(row),
        Rows.stopOrNull(row),
        status.isTerminal() ? null : Json.toFailure(row.textOrNull("error")),
        status.isTerminal() ? readEnding(row) : null);
  }

  private static Run.Lineage readLineage(Row row) {
    return new Run.Lineage(
        runOrNull(row, "forked_from_run_id"),
        runOrNull(row, "handler_for_run_id"),
        runOrNull(row, "parent_run_id"),
        row.textOrNull("parent_step_key"),
        runOrNull(row, "continued_from_run_id"),
        runOrNull(row, "continued_as_run_id"),
        runOrNull(row, "schedule_group_id"),
        row.instantOrNull("fire_at"));
  }

  static @Nullable RunId runOrNull(Row row, String column) {
    UUID value = row.uuidOrNull(column);
    return value == null ? null : new RunId(value);
  }

  private static Run.Times readTimes(Row row) {
    return new Run.Times(
        row.instant("created_at"),
        row.instantOrNull("started_at"),
        row.instantOrNull("finished_at"),
        row.instantOrNull("deadline_at"));
  }

  private static Run.Ending readEnding(Row row) {
    return new Run.Ending(
        Json.toPayload(row.bytesOrNull("output"), row.textOrNull("output_metadata")),
        Json.toFailure(row.textOrNull("error")),
        row.textOrNull("failed_step_key"),
        row.textOrNull("stop_reason"));
  }
}
