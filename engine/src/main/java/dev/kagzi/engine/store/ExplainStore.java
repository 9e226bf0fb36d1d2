package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Situation.Capacity;
import dev.kagzi.engine.domain.Situation.FailedAttempt;
import dev.kagzi.engine.domain.Situation.Hold;
import dev.kagzi.engine.domain.Situation.LiveWorker;
import dev.kagzi.engine.domain.Situation.OpenWait;
import dev.kagzi.engine.domain.Situation.Parked;
import dev.kagzi.engine.domain.Situation.RunningStep;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What an explanation of a run is made from. Only reads. */
public final class ExplainStore {

  /** Waits, steps and workers that are told; more would not make it clearer. */
  private static final int LIMIT = 100;

  /** What only the row of a live run knows. */
  public record LiveFacts(@Nullable Hold hold, @Nullable Parked divergence) {}

  private static final String FIND_LIVE =
      """
      SELECT CASE WHEN r.status = 'RUNNING' THEN r.leased_at END AS leased_at,
             w.last_heartbeat_at,
             CASE WHEN wait_reason = 'NON_DETERMINISM' THEN divergence ->> 'expected' END AS expected,
             divergence ->> 'found' AS found, divergence ->> 'message' AS message,
             COALESCE((divergence ->> 'tries')::int4, 0) AS tries
      FROM kagzi.workflow_runs r LEFT JOIN kagzi.workers w ON w.worker_id = r.locked_by
      WHERE r.run_id = :runId
      """;

  public Optional<LiveFacts> findLive(Transaction tx, RunId runId) {
    return tx.query(FIND_LIVE)
        .set("runId", runId.value())
        .first(row -> new LiveFacts(hold(row), parked(row)));
  }

  private static @Nullable Hold hold(Row row) {
    Instant leasedAt = row.instantOrNull("leased_at");
    return leasedAt == null ? null : new Hold(leasedAt, row.instantOrNull("last_heartbeat_at"));
  }

  private static @Nullable Parked parked(Row row) {
    String expected = row.textOrNull("expected");
    return expected == null
        ? null
        : new Parked(
            new Divergence(expected, orEmpty(row, "found"), orEmpty(row, "message")),
            row.integer("tries"));
  }

  private static String orEmpty(Row row, String column) {
    String text = row.textOrNull(column);
    return text == null ? "" : text;
  }

  private static final String FIND_WAITS =
      """
      SELECT w.step_key, w.kind, w.wake_at, w.event_name, w.child_run_id, w.timeout_at, w.since,
             c.status AS child_status, f.attempt, f.error,
             COALESCE(f.most_attempts, :mostAttempts) AS most_attempts
      FROM kagzi.run_waits w
      LEFT JOIN kagzi.workflow_runs c ON c.run_id = w.child_run_id
      LEFT JOIN LATERAL (
        SELECT s.attempt, (s.retry_policy ->> 'maximum_attempts')::int4 AS most_attempts,
               concat_ws(': ', s.step_key, s.error ->> 'type', s.error ->> 'message') AS error
        FROM kagzi.step_runs s
        WHERE w.kind = 'RETRY' AND s.run_id = :runId AND s.step_key = w.step_key
          AND s.status = 'FAILED' AND s.superseded_at IS NULL
        ORDER BY s.attempt DESC
        LIMIT 1) f ON true
      WHERE w.run_id = :runId
      ORDER BY w.seq, w.step_key
      LIMIT :limit
      """;

  /**
   * What a run waits for.
   *
   * @param mostAttempts how often a step may be executed whose policy does not say it
   */
  public List<OpenWait> findWaits(Transaction tx, RunId runId, int mostAttempts) {
    return tx.query(FIND_WAITS)
        .set("runId", runId.value())
        .set("mostAttempts", mostAttempts)
        .set("limit", LIMIT)
        .list(row -> {
          UUID child = row.uuidOrNull("child_run_id");
          String status = row.textOrNull("child_status");
          return new OpenWait(
              row.text("step_key"),
              row.text("kind"),
              row.instantOrNull("wake_at"),
              row.textOrNull("event_name"),
              child == null ? null : new RunId(child),
              status == null ? null : RunStatus.valueOf(status),
              row.instantOrNull("timeout_at"),
              row.instant("since"),
              failed(row));
        });
  }

  private static @Nullable FailedAttempt failed(Row row) {
    String error = row.textOrNull("error");
    return error == null
        ? null
        : new FailedAttempt(row.integer("attempt"), row.integer("most_attempts"), error);
  }

  private static final String FIND_STEPS =
      """
      SELECT step_key, attempt, started_at
      FROM kagzi.running_steps
      WHERE run_id = :runId
      ORDER BY seq, step_key
      LIMIT :limit
      """;

  public List<RunningStep> findSteps(Transaction tx, RunId runId) {
    return tx.query(FIND_STEPS)
        .set("runId", runId.value())
        .set("limit", LIMIT)
        .list(row ->
            new RunningStep(
                row.text("step_key"), row.integer("attempt"), row.instant("started_at")));
  }

  private static final String FIND_WORKERS =
      """
      SELECT w.worker_id, w.status = 'DRAINING' AS draining, w.hostname, w.pid, s.workflow_type,
             s.version
      FROM (SELECT * FROM kagzi.workers
            WHERE namespace_id = :namespace AND task_queue = :taskQueue AND status <> 'OFFLINE'
            ORDER BY worker_id DESC
            LIMIT :limit) w
      CROSS JOIN LATERAL unnest(w.workflow_types, w.versions) AS s(workflow_type, version)
      ORDER BY w.worker_id, s.workflow_type, s.version
      """;

  /** Who lives on a queue, the newest of them. */
  public List<LiveWorker> findWorkers(Transaction tx, RunTarget target) {
    Map<WorkerId, LiveWorker> workers = new LinkedHashMap<>();
    tx.query(FIND_WORKERS)
        .set("namespace", target.namespace())
        .set("taskQueue", target.taskQueue())
        .set("limit", LIMIT)
        .list(ExplainStore::readWorker)
        .forEach(line -> workers.merge(line.workerId(), line, ExplainStore::both));
    return List.copyOf(workers.values());
  }

  private static LiveWorker readWorker(Row row) {
    return new LiveWorker(
        new WorkerId(row.uuid("worker_id")),
        row.bool("draining"),
        row.text("hostname"),
        row.bigint("pid"),
        List.of(new TypeVersion(row.text("workflow_type"), row.text("version"))));
  }

  private static LiveWorker both(LiveWorker one, LiveWorker other) {
    List<TypeVersion> types = new ArrayList<>(one.types());
    types.addAll(other.types());
    return new LiveWorker(one.workerId(), one.draining(), one.hostname(), one.pid(), types);
  }

  private static final String FIND_CAPACITY =
      """
      SELECT count(*)::int4 AS workers, count(*) FILTER (WHERE serves)::int4 AS serving,
             COALESCE(bool_or(serves_type), false) AS serves_type,
             COALESCE(sum(max_concurrent) FILTER (WHERE serves), 0)::int4 AS slots,
             COALESCE(sum(greatest(max_concurrent - active_count, 0)) FILTER (WHERE serves), 0)::int4
               AS free,
             (SELECT min(r.available_at) FROM kagzi.workflow_runs r
              WHERE r.namespace_id = :namespace AND r.task_queue = :taskQueue
                AND r.workflow_type = :type AND r.version = :version
                AND r.status IN ('PENDING', 'SLEEPING')) AS oldest_ready_at
      FROM (SELECT max_concurrent, active_count, :type = ANY(workflow_types) AS serves_type,
                   status = 'ONLINE' AND EXISTS (
                     SELECT 1 FROM unnest(workflow_types, versions) AS s(workflow_type, version)
                     WHERE s.workflow_type = :type AND s.version = :version) AS serves
            FROM kagzi.workers
            WHERE namespace_id = :namespace AND task_queue = :taskQueue
              AND status <> 'OFFLINE') AS live
      """;

  /** What all of them can do for a run. */
  public Capacity findCapacity(Transaction tx, RunTarget target) {
    return tx.query(FIND_CAPACITY)
        .set("namespace", target.namespace())
        .set("taskQueue", target.taskQueue())
        .set("type", target.workflowType())
        .set("version", target.version())
        .only(row ->
            new Capacity(
                row.integer("workers"),
                row.integer("serving"),
                row.bool("serves_type"),
                row.integer("slots"),
                row.integer("free"),
                row.instantOrNull("oldest_ready_at")));
  }

  private static final String FIND_ELSEWHERE =
      """
      SELECT DISTINCT w.task_queue
      FROM kagzi.workers w
      CROSS JOIN LATERAL unnest(w.workflow_types, w.versions) AS s(workflow_type, version)
      WHERE w.namespace_id = :namespace AND w.task_queue <> :taskQueue AND w.status = 'ONLINE'
        AND s.workflow_type = :type AND s.version = :version
      ORDER BY w.task_queue
      LIMIT 5
      """;

  /** Other queues on which the same is served. */
  public List<String> findElsewhere(Transaction tx, RunTarget target) {
    return tx.query(FIND_ELSEWHERE)
        .set("namespace", target.namespace())
        .set("taskQueue", target.taskQueue())
        .set("type", target.workflowType())
        .set("version", target.version())
        .list(row -> row.text("task_queue"));
  }
}
