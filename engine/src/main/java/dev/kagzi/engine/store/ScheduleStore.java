package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleFilter;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Schedules as rows: templates among the live runs, told apart by their status. A queue or version
 * that is left open lies there as the empty text.
 */
public final class ScheduleStore {

  private static final String COLUMNS =
      """
      t.run_id, t.namespace_id, t.status, t.schedule_name, t.cron_expr, t.timezone, t.max_catchup,
      t.overlap_policy, t.description, t.workflow_type, t.task_queue, t.version,
      t.retry_policy, extract(epoch FROM t.step_timeout) * 1000 AS step_timeout_ms,
      extract(epoch FROM t.lease_duration) * 1000 AS lease_duration_ms,
      extract(epoch FROM t.execution_timeout) * 1000 AS execution_timeout_ms,
      t.on_failure_workflow, t.on_failure_task_queue, t.labels, t.created_at, t.updated_at,
      t.available_at, t.last_fired_at, t.pause_reason, t.schedule_error,
      (SELECT f.run_id FROM kagzi.schedule_firings f
       WHERE f.schedule_id = t.run_id AND f.outcome = 'FIRED'
       ORDER BY f.fire_at DESC LIMIT 1) AS last_run_id\
      """;

  private static final String FIND =
      """
      SELECT %s, t.input, t.input_metadata
      FROM kagzi.workflow_runs t
      WHERE t.run_id = :scheduleId AND t.status IN ('SCHEDULED', 'PAUSED')
      """
          .formatted(COLUMNS);

  /** A schedule of any namespace. */
  public Optional<Schedule> find(Transaction tx, RunId scheduleId) {
    return tx.query(FIND).set("scheduleId", scheduleId.value()).first(ScheduleStore::read);
  }

  private static final String FIND_OWN = FIND + " AND t.namespace_id = :namespace";

  public Optional<Schedule> find(Transaction tx, String namespace, RunId scheduleId) {
    return own(tx.query(FIND_OWN), namespace, scheduleId);
  }

  /** Whoever fires, changes or deletes a schedule holds its row, one at a time. */
  private static final String LOCK = FIND_OWN + " FOR UPDATE OF t";

  public Optional<Schedule> lock(Transaction tx, String namespace, RunId scheduleId) {
    return own(tx.query(LOCK), namespace, scheduleId);
  }

  private static Optional<Schedule> own(Query query, String namespace, RunId scheduleId) {
    return query
        .set("scheduleId", scheduleId.value())
        .set("namespace", namespace)
        .first(ScheduleStore::read);
  }

  private static final String LOCK_DUE =
      FIND + " AND t.status = 'SCHEDULED' AND t.available_at <= :now FOR UPDATE OF t SKIP LOCKED";

  /** The schedule, unless it is not due any more or another server has it. */
  public Optional<Schedule> lockDue(Transaction tx, RunId scheduleId, Instant now) {
    return tx.query(LOCK_DUE)
        .set("scheduleId", scheduleId.value())
        .set("now", now)
        .first(ScheduleStore::read);
  }

  private static final String FIND_BY_NAME =
      """
      SELECT run_id FROM kagzi.workflow_runs
      WHERE namespace_id = :namespace AND schedule_name = :name
        AND status IN ('SCHEDULED', 'PAUSED')
      """;

  public Optional<RunId> findByName(Transaction tx, String namespace, String name) {
    return tx.query(FIND_BY_NAME)
        .set("namespace", namespace)
        .set("name", name)
        .first(row -> new RunId(row.uuid("run_id")));
  }

  /** A disabled namespace fires nothing; what it missed is caught up later. */
  private static final String FIND_DUE =
      """
      SELECT t.run_id
      FROM kagzi.workflow_runs t
      JOIN kagzi.namespaces n ON n.namespace_id = t.namespace_id AND n.enabled
      WHERE t.status = 'SCHEDULED' AND t.available_at <= :now
      ORDER BY t.available_at
      LIMIT :limit
      """;

  /** Schedules that are due, the longest waiting first. */
  public List<RunId> findDue(Transaction tx, Instant now, int limit) {
    return tx.query(FIND_DUE)
        .set("now", now)
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String NEXT_FIRING =
      """
      SELECT min(t.available_at) AS next
      FROM kagzi.workflow_runs t
      JOIN kagzi.namespaces n ON n.namespace_id = t.namespace_id AND n.enabled
      WHERE t.status = 'SCHEDULED'
      """;

  /** When the next schedule is due. */
  public @Nullable Instant nextFiring(Transaction tx) {
    return tx.query(NEXT_FIRING)
        .only(row -> Optional.ofNullable(row.instantOrNull("next")))
        .orElse(null);
  }

  private static final String INSERT =
      """
      INSERT INTO kagzi.workflow_runs (
        run_id, namespace_id, status, schedule_name, cron_expr, timezone, max_catchup,
        overlap_policy, description, workflow_type, task_queue, version, retry_policy,
        step_timeout, lease_duration, execution_timeout, on_failure_workflow,
        on_failure_task_queue, labels, input, input_metadata, available_at, last_fired_at,
        pause_reason, created_at, updated_at)
      VALUES (
        :scheduleId, :namespace, :status, :name::text, :cron, :timezone, :maxCatchup,
        :overlap, :description, :type, :queue, :version, :policy::jsonb,
        :stepTimeout::int8 * interval '1 millisecond', :lease::int8 * interval '1 millisecond',
        :executionTimeout::int8 * interval '1 millisecond', :failureWorkflow::text,
        :failureQueue::text, :labels::jsonb, :input::bytea, :inputMetadata::jsonb,
        :nextFireAt::timestamptz, :firedUpTo, :pauseReason::text, :createdAt, :updatedAt)
      ON CONFLICT DO NOTHING
      """;

  /** Writes a new schedule, unless its id or its name is taken. */
  public boolean insert(Transaction tx, Schedule schedule) {
    return bind(tx.query(INSERT), schedule).set("createdAt", schedule.createdAt()).update() == 1;
  }

  private static final String UPDATE =
      """
      UPDATE kagzi.workflow_runs
      SET status = :status, schedule_name = :name::text, cron_expr = :cron, timezone = :timezone,
          max_catchup = :maxCatchup, overlap_policy = :overlap, description = :description,
          workflow_type = :type, task_queue = :queue, version = :version,
          retry_policy = :policy::jsonb,
          step_timeout = :stepTimeout::int8 * interval '1 millisecond',
          lease_duration = :lease::int8 * interval '1 millisecond',
          execution_timeout = :executionTimeout::int8 * interval '1 millisecond',
          on_failure_workflow = :failureWorkflow::text,
          on_failure_task_queue = :failureQueue::text, labels = :labels::jsonb,
          input = :input::bytea, input_metadata = :inputMetadata::jsonb,
          available_at = :nextFireAt::timestamptz, last_fired_at = :firedUpTo,
          pause_reason = :pauseReason::text, schedule_error = :error::text,
          updated_at = :updatedAt
      WHERE run_id = :scheduleId AND namespace_id = :namespace
        AND status IN ('SCHEDULED', 'PAUSED')
      """;

  /** Writes a schedule whose row the caller has locked. */
  public void update(Transaction tx, Schedule schedule) {
    bind(tx.query(UPDATE), schedule).set("error", schedule.error()).update();
  }

  private static Query bind(Query query, Schedule schedule) {
    Schedule.Definition definition = schedule.definition();
    Schedule.Template run = definition.run();
    RunPolicies policies = run.policies();
    return query
        .set("scheduleId", schedule.scheduleId().value())
        .set("namespace", definition.namespace())
        .set("status", schedule.status().name())
        .set("name", definition.name())
        .set("cron", definition.cron())
        .set("timezone", definition.timezone())
        .set("maxCatchup", definition.maxCatchup())
        .set("overlap", definition.overlap().name())
        .set("description", definition.description())
        .set("type", run.workflowType())
        .set("queue", orEmpty(run.taskQueue()))
        .set("version", orEmpty(run.version()))
        .set("policy", Json.ofPartial(policies.retry()))
        .set("stepTimeout", millis(policies.stepTimeout()))
        .set("lease", millis(policies.lease()))
        .set("executionTimeout", millis(policies.executionTimeout()))
        .set("failureWorkflow", policies.onFailureWorkflow())
        .set("failureQueue", policies.onFailureQueue())
        .set("labels", Json.ofMap(run.labels()))
        .set("input", run.input().data())
        .set("inputMetadata", Json.ofMap(run.input().metadata()))
        .set("nextFireAt", schedule.nextFireAt())
        .set("firedUpTo", schedule.firedUpTo())
        .set("pauseReason", schedule.pauseReason())
        .set("updatedAt", schedule.updatedAt());
  }

  private static final String ADVANCE =
      """
      UPDATE kagzi.workflow_runs
      SET last_fired_at = :firedUpTo, available_at = :nextFireAt::timestamptz,
          status = CASE WHEN :nextFireAt::timestamptz IS NULL THEN 'PAUSED' ELSE 'SCHEDULED' END,
          pause_reason = :pauseReason::text
      WHERE run_id = :scheduleId AND status = 'SCHEDULED'
      """;

  /** Notes up to where a schedule was fired; without a next time it is paused. */
  public void advance(
      Transaction tx,
      RunId scheduleId,
      Instant firedUpTo,
      @Nullable Instant nextFireAt,
      @Nullable String pauseReason) {
    tx.query(ADVANCE)
        .set("scheduleId", scheduleId.value())
        .set("firedUpTo", firedUpTo)
        .set("nextFireAt", nextFireAt)
        .set("pauseReason", pauseReason)
        .update();
  }

  private static final String STOP =
      """
      UPDATE kagzi.workflow_runs
      SET status = 'PAUSED', available_at = NULL, pause_reason = :reason, schedule_error = :error,
          updated_at = :now
      WHERE run_id = :scheduleId AND status = 'SCHEDULED' AND available_at <= :now
      """;

  /** Pauses a due schedule that cannot be fired, whatever else its row holds. */
  public boolean stop(Transaction tx, RunId scheduleId, String reason, String error, Instant now) {
    return tx.query(STOP)
            .set("scheduleId", scheduleId.value())
            .set("reason", reason)
            .set("error", error)
            .set("now", now)
            .update()
        == 1;
  }

  private static final String DELETE =
      """
      DELETE FROM kagzi.workflow_runs
      WHERE run_id = :scheduleId AND status IN ('SCHEDULED', 'PAUSED')
      """;

  /**
   * Removes a schedule whose row the caller has locked; its runs stay. Its ticks, which may be
   * millions, are left to retention: nothing finds them without the schedule.
   */
  public void delete(Transaction tx, RunId scheduleId) {
    tx.query(DELETE).set("scheduleId", scheduleId.value()).update();
  }

  private static final String MATCHING =
      """
      FROM kagzi.workflow_runs t
      WHERE t.namespace_id = :namespace AND t.status IN ('SCHEDULED', 'PAUSED')
        AND t.status = ANY(:statuses::text[])
        AND (:type::text IS NULL OR t.workflow_type = :type)
        AND (:queue::text IS NULL OR t.task_queue = :queue)\
      """;
  private static final String LIST =
      """
      SELECT %s, NULL::bytea AS input, NULL::jsonb AS input_metadata
      %s AND t.run_id %s :beyond
      ORDER BY t.run_id %s
      LIMIT :limit
      """;
  private static final Map<Direction, String> LISTS =
      Map.of(
          Direction.OLDER, LIST.formatted(COLUMNS, MATCHING, "<", "DESC"),
          Direction.NEWER, LIST.formatted(COLUMNS, MATCHING, ">", "ASC"));

  /** Schedules beyond a position, nearest first, without their inputs. */
  public List<Schedule> list(Transaction tx, ScheduleFilter filter, Position from, int limit) {
    return bind(tx.query(Objects.requireNonNull(LISTS.get(from.direction()))), filter)
        .set("beyond", from.beyond().value())
        .set("limit", limit)
        .list(ScheduleStore::read);
  }

  private static final String COUNT =
      "SELECT count(*)::int4 AS n FROM (SELECT 1 %s LIMIT :limit) AS counted".formatted(MATCHING);

  /** How many there are, up to a limit. */
  public int count(Transaction tx, ScheduleFilter filter, int limit) {
    return bind(tx.query(COUNT), filter).set("limit", limit).only(row -> row.integer("n"));
  }

  private static Query bind(Query query, ScheduleFilter filter) {
    return query
        .set("namespace", filter.namespace())
        .texts("statuses", filter.statuses(), RunStatus::name)
        .set("type", filter.workflowType())
        .set("queue", filter.taskQueue());
  }

  private static Schedule read(Row row) {
    UUID lastRunId = row.uuidOrNull("last_run_id");
    return new Schedule(
        new RunId(row.uuid("run_id")),
        RunStatus.valueOf(row.text("status")),
        readDefinition(row),
        row.instant("created_at"),
        row.instant("updated_at"),
        row.instantOrNull("available_at"),
        row.instant("last_fired_at"),
        lastRunId == null ? null : new RunId(lastRunId),
        row.textOrNull("pause_reason"),
        row.textOrNull("schedule_error"));
  }

  private static Schedule.Definition readDefinition(Row row) {
    Payload input = Json.toPayload(row.bytesOrNull("input"), row.textOrNull("input_metadata"));
    return new Schedule.Definition(
        row.text("namespace_id"),
        row.textOrNull("schedule_name"),
        row.text("cron_expr"),
        row.text("timezone"),
        row.integer("max_catchup"),
        OverlapPolicy.valueOf(row.text("overlap_policy")),
        row.text("description"),
        new Schedule.Template(
            row.text("workflow_type"),
            orNull(row.text("task_queue")),
            orNull(row.text("version")),
            input == null ? Payload.EMPTY : input,
            Rows.policies(row),
            Json.toMap(row.textOrNull("labels"))));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
