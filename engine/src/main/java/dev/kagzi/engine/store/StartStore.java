package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writing new runs. */
public final class StartStore {

  /** A run that this or an earlier start wrote. */
  public record StartedRun(
      RunId runId, @Nullable String externalId, RunStatus status, RunTarget target) {}

  /**
   * Rows come out for the runs that are new. A run whose id was used before conflicts with the live
   * row, or, when that run has ended, with its payload: then the live row is undone by the caller.
   * Sorted by external id, so that two batches wait for each other in one order only.
   */
  private static final String INSERT_RUNS =
      """
      WITH asked AS (
        SELECT * FROM unnest(
          :runIds::uuid[], :namespaces::text[], :externalIds::text[], :queues::text[],
          :types::text[], :versions::text[], :createdAt::timestamptz[], :availableAt::timestamptz[],
          :deadlines::timestamptz[], :policies::text[], :stepTimeouts::int8[], :leases::int8[],
          :executionTimeouts::int8[], :failureWorkflows::text[], :failureQueues::text[],
          :labels::text[], :traceparents::text[], :handlersFor::uuid[], :parents::uuid[],
          :parentSteps::text[], :closePolicies::text[], :schedules::uuid[], :fireAts::timestamptz[],
          :inputs::bytea[], :inputMetadata::text[])
        AS a(run_id, namespace_id, external_id, task_queue, workflow_type, version, created_at,
             available_at, deadline_at, retry_policy, step_timeout, lease, execution_timeout,
             on_failure_workflow, on_failure_task_queue, labels, traceparent, handler_for_run_id,
             parent_run_id, parent_step_key, parent_close_policy, schedule_group_id, fire_at,
             input, input_metadata)
      ), runs AS (
        INSERT INTO kagzi.workflow_runs (
          run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
          available_at, deadline_at, retry_policy, step_timeout, lease_duration, execution_timeout,
          on_failure_workflow, on_failure_task_queue, labels, traceparent, handler_for_run_id,
          parent_run_id, parent_step_key, parent_close_policy, schedule_group_id, fire_at,
          start_at, created_at)
        SELECT a.run_id, a.namespace_id, a.external_id,
               COALESCE(a.task_queue, t.home_queue, 'default'), a.workflow_type,
               COALESCE(a.version, t.default_version, ''), 'PENDING',
               a.available_at, a.deadline_at, a.retry_policy::jsonb,
               a.step_timeout * interval '1 millisecond', a.lease * interval '1 millisecond',
               a.execution_timeout * interval '1 millisecond',
               a.on_failure_workflow, a.on_failure_task_queue, a.labels::jsonb, a.traceparent,
               a.handler_for_run_id, a.parent_run_id, a.parent_step_key, a.parent_close_policy,
               a.schedule_group_id, a.fire_at, NULLIF(a.available_at, a.created_at), a.created_at
        FROM asked a
        LEFT JOIN kagzi.workflow_types t
               ON t.namespace_id = a.namespace_id AND t.workflow_type = a.workflow_type
        ORDER BY a.namespace_id, a.external_id, a.run_id
        ON CONFLICT DO NOTHING
        RETURNING run_id, namespace_id, external_id, task_queue, workflow_type, version, status
      ), payloads AS (
        INSERT INTO kagzi.workflow_payloads (run_id, input, input_metadata)
        SELECT a.run_id, a.input, a.input_metadata::jsonb
        FROM asked a JOIN runs USING (run_id)
        ON CONFLICT DO NOTHING
        RETURNING run_id
      )
      SELECT runs.*, payloads.run_id IS NOT NULL AS is_new
      FROM runs LEFT JOIN payloads USING (run_id)
      """;

  /** What {@link #insert} wrote, told apart by whether the id was ever used before. */
  public record Inserted(StartedRun run, boolean isNew) {}

  public List<Inserted> insert(Transaction tx, List<NewRun> runs) {
    return tx.query(INSERT_RUNS)
        .uuids("runIds", runs, run -> run.runId().value())
        .texts("namespaces", runs, run -> run.request().namespace())
        .texts("externalIds", runs, run -> run.request().externalId())
        .texts("queues", runs, run -> run.request().taskQueue())
        .texts("types", runs, run -> run.request().workflowType())
        .texts("versions", runs, run -> run.request().version())
        .instants("createdAt", runs, NewRun::createdAt)
        .instants("availableAt", runs, NewRun::availableAt)
        .instants("deadlines", runs, NewRun::deadlineAt)
        .texts("policies", runs, run -> Json.ofPartial(run.request().policies().retry()))
        .longs("stepTimeouts", runs, run -> millis(run.request().policies().stepTimeout()))
        .longs("leases", runs, run -> millis(run.request().policies().lease()))
        .longs(
            "executionTimeouts", runs, run -> millis(run.request().policies().executionTimeout()))
        .texts("failureWorkflows", runs, run -> run.request().policies().onFailureWorkflow())
        .texts("failureQueues", runs, run -> run.request().policies().onFailureQueue())
        .texts("labels", runs, run -> Json.ofMap(run.request().labels()))
        .texts("traceparents", runs, run -> run.request().traceparent())
        .uuids("handlersFor", runs, run -> Rows.idOrNull(run.request().handlerFor()))
        .uuids("parents", runs, run -> ofParent(run, parent -> parent.runId().value()))
        .texts("parentSteps", runs, run -> ofParent(run, Parent::stepKey))
        .texts("closePolicies", runs, run -> ofParent(run, parent -> parent.closePolicy().name()))
        .uuids("schedules", runs, run -> ofFiring(run, firing -> firing.scheduleId().value()))
        .instants("fireAts", runs, run -> ofFiring(run, StartRequest.Firing::fireAt))
        .byteArrays("inputs", runs, run -> run.request().input().data())
        .texts("inputMetadata", runs, run -> Json.ofMap(run.request().input().metadata()))
        .list(row -> new Inserted(readStarted(row), row.bool("is_new")));
  }

  private static final String UNDO =
      """
      DELETE FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[])
        AND status = 'PENDING'
        AND lease_epoch = 0
      """;

  /** Takes back rows that this transaction inserted. */
  public void undo(Transaction tx, Collection<RunId> runIds) {
    tx.query(UNDO).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String UNDO_NEW =
      """
      WITH runs AS (
        DELETE FROM kagzi.workflow_runs
        WHERE run_id = ANY(:runIds::uuid[]) AND status = 'PENDING' AND lease_epoch = 0
        RETURNING run_id
      )
      DELETE FROM kagzi.workflow_payloads p USING runs WHERE p.run_id = runs.run_id
      """;

  /** Takes back runs that this transaction inserted, as if they had never been asked for. */
  public void undoNew(Transaction tx, Collection<RunId> runIds) {
    tx.query(UNDO_NEW).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String FIND_ENDED_BY_EXTERNAL_ID =
      """
      SELECT r.*
      FROM unnest(:namespaces::text[], :externalIds::text[]) AS a(namespace_id, external_id)
      CROSS JOIN LATERAL (
        SELECT run_id, namespace_id, external_id, task_queue, workflow_type, version, status
        FROM kagzi.finished_runs
        WHERE namespace_id = a.namespace_id AND external_id = a.external_id
        ORDER BY run_id DESC
        LIMIT 1) r
      """;

  /** The newest ended run of each external id. */
  public List<StartedRun> findEndedByExternalId(Transaction tx, List<NewRun> runs) {
    return tx.query(FIND_ENDED_BY_EXTERNAL_ID)
        .texts("namespaces", runs, run -> run.request().namespace())
        .texts("externalIds", runs, run -> run.request().externalId())
        .list(StartStore::readStarted);
  }

  private static final String FIND_LIVE_BY_EXTERNAL_ID =
      """
      SELECT r.run_id, r.namespace_id, r.external_id, r.task_queue, r.workflow_type, r.version,
             r.status
      FROM unnest(:namespaces::text[], :externalIds::text[]) AS a(namespace_id, external_id)
      CROSS JOIN LATERAL (
        SELECT * FROM kagzi.workflow_runs
        WHERE namespace_id = a.namespace_id AND external_id = a.external_id
        LIMIT 1) r
      """;

  public List<StartedRun> findLiveByExternalId(Transaction tx, List<NewRun> runs) {
    return tx.query(FIND_LIVE_BY_EXTERNAL_ID)
        .texts("namespaces", runs, run -> run.request().namespace())
        .texts("externalIds", runs, run -> run.request().externalId())
        .list(StartStore::readStarted);
  }

  private static final String FIND_BY_ID =
      """
      SELECT a.run_id, r.namespace_id, r.external_id, r.task_queue, r.workflow_type, r.version,
             r.status
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT namespace_id, external_id, task_queue, workflow_type, version, status
        FROM kagzi.workflow_runs WHERE run_id = a.run_id
        UNION ALL
        SELECT namespace_id, external_id, task_queue, workflow_type, version, status
        FROM kagzi.finished_runs WHERE run_id = a.run_id) r
      """;

  /** Runs with these ids, live or ended. */
  public List<StartedRun> findById(Transaction tx, List<NewRun> runs) {
    return tx.query(FIND_BY_ID)
        .uuids("runIds", runs, run -> run.runId().value())
        .list(StartStore::readStarted);
  }

  private static StartedRun readStarted(Row row) {
    return new StartedRun(
        new RunId(row.uuid("run_id")),
        row.textOrNull("external_id"),
        RunStatus.valueOf(row.text("status")),
        Rows.target(row));
  }

  private static <T> @Nullable T ofParent(NewRun run, Function<Parent, T> part) {
    Parent parent = run.request().parent();
    return parent == null ? null : part.apply(parent);
  }

  private static <T> @Nullable T ofFiring(NewRun run, Function<StartRequest.Firing, T> part) {
    StartRequest.Firing firing = run.request().firing();
    return firing == null ? null : part.apply(firing);
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
