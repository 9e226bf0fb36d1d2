package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which failure handlers ended runs ask for. */
public final class HandlerStore {

  /** The type that handles all failures of a namespace as soon as a live worker serves it. */
  public static final String NAMESPACE_HANDLER = "__kagzi_failure_handler";

  /** How a run ended, as its handler is told. */
  public record FailedRun(
      RunId runId,
      RunTarget target,
      RunStatus status,
      @Nullable String externalId,
      @Nullable Failure error,
      @Nullable String failedStepKey,
      @Nullable Payload input,
      int attempts,
      int retries,
      @Nullable Instant startedAt,
      Instant failedAt,
      Map<String, String> labels,
      @Nullable String traceparent) {}

  /** A handler that is to be started. */
  public record Wanted(FailedRun failed, String workflowType, String taskQueue) {

    /** Known by the run and how often it has failed, so that it is started once each time. */
    public String externalId() {
      String prefix = workflowType.equals(NAMESPACE_HANDLER) ? "system-failure-" : "failure-";
      String retries = failed.retries() == 0 ? "" : "-" + failed.retries();
      return prefix + failed.runId() + retries;
    }
  }

  /**
   * A handler's own failure is handled by nobody. The handler of the namespace runs in the queue of
   * a worker that serves it.
   */
  private static final String FIND_WANTED =
      """
      SELECT f.*, h.handler_type, h.handler_queue, p.input, p.input_metadata
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT run_id, namespace_id, task_queue, workflow_type, version, status, external_id, error,
               failed_step_key, failures, retries, started_at, finished_at, labels, traceparent,
               on_failure_workflow, on_failure_task_queue
        FROM kagzi.finished_runs
        WHERE run_id = a.run_id AND status IN ('FAILED', 'TIMED_OUT')
          AND handler_for_run_id IS NULL) f
      CROSS JOIN LATERAL (
        SELECT f.on_failure_workflow AS handler_type,
               COALESCE(f.on_failure_task_queue, f.task_queue) AS handler_queue
        WHERE f.on_failure_workflow IS NOT NULL
        UNION ALL
        (SELECT :namespaceHandler, w.task_queue
         FROM kagzi.workers w
         WHERE w.namespace_id = f.namespace_id AND w.status = 'ONLINE'
           AND :namespaceHandler = ANY(w.workflow_types)
         ORDER BY w.task_queue <> f.task_queue, w.task_queue
         LIMIT 1)) h
      LEFT JOIN LATERAL (
        SELECT input, input_metadata FROM kagzi.workflow_payloads WHERE run_id = a.run_id) p ON true
      """;

  /** The handlers of those among the runs that have failed and have any. */
  public List<Wanted> findWanted(Transaction tx, Collection<RunId> runIds) {
    return tx.query(FIND_WANTED)
        .uuids("runIds", runIds, RunId::value)
        .set("namespaceHandler", NAMESPACE_HANDLER)
        .list(row ->
            new Wanted(readFailed(row), row.text("handler_type"), row.text("handler_queue")));
  }

  private static FailedRun readFailed(Row row) {
    return new FailedRun(
        new RunId(row.uuid("run_id")),
        Rows.target(row),
        RunStatus.valueOf(row.text("status")),
        row.textOrNull("external_id"),
        Json.toFailure(row.textOrNull("error")),
        row.textOrNull("failed_step_key"),
        Json.toPayload(row.bytesOrNull("input"), row.textOrNull("input_metadata")),
        row.integer("failures") + 1,
        row.integer("retries"),
        row.instantOrNull("started_at"),
        Objects.requireNonNull(row.instantOrNull("finished_at")),
        Json.toMap(row.textOrNull("labels")),
        row.textOrNull("traceparent"));
  }
}
