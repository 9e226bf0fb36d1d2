package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The way back: an ended run's row returns from history. */
public final class RetryStore {

  /** An ended run as a retry sees it while it holds the row's lock. */
  public record Ended(
      RunId runId, RunTarget target, RunStatus status, int retries, boolean compensated) {}

  /** In the one order in which all batches lock runs. */
  private static final String LOCK_ENDED =
      """
      SELECT f.run_id, f.namespace_id, f.task_queue, f.workflow_type, f.version, f.status,
             f.retries,
             EXISTS (
               SELECT 1 FROM kagzi.step_runs s
               WHERE s.run_id = f.run_id AND s.compensation AND s.status = 'COMPLETED')
               AS compensated
      FROM kagzi.finished_runs f
      WHERE f.run_id = ANY(:runIds::uuid[])
      ORDER BY f.run_id
      FOR UPDATE OF f
      """;

  public List<Ended> lockEnded(Transaction tx, Collection<RunId> runIds) {
    return tx.query(LOCK_ENDED).uuids("runIds", runIds, RunId::value).list(RetryStore::readEnded);
  }

  private static Ended readEnded(Row row) {
    return new Ended(
        new RunId(row.uuid("run_id")),
        Rows.target(row),
        RunStatus.valueOf(row.text("status")),
        row.integer("retries"),
        row.bool("compensated"));
  }

  /** A live run as a retry meets it. */
  public record Live(RunId runId, String namespace, int retries) {}

  private static final String FIND_LIVE =
      """
      SELECT run_id, namespace_id, retries FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
      """;

  public List<Live> findLive(Transaction tx, Collection<RunId> runIds) {
    return tx.query(FIND_LIVE)
        .uuids("runIds", runIds, RunId::value)
        .list(row ->
            new Live(
                new RunId(row.uuid("run_id")), row.text("namespace_id"), row.integer("retries")));
  }

  /** What a run takes along out of history as it is. */
  private static final String KEPT =
      """
      run_id, namespace_id, external_id, task_queue, workflow_type, version, lease_epoch,
      retry_policy, step_timeout, lease_duration, execution_timeout, on_failure_workflow,
      on_failure_task_queue, handler_for_run_id, parent_run_id, parent_step_key,
      parent_close_policy, continued_from_run_id, forked_from_run_id, schedule_group_id, fire_at,
      start_at, labels, traceparent, created_at, started_at\
      """;

  /**
   * The time that a run's limit leaves it, counted from now. A deadline that is earlier than the
   * limit allowed was given as a moment: it counts as long as it has not passed.
   */
  static final String DEADLINE_ANEW =
      """
      CASE WHEN execution_timeout IS NULL
             OR deadline_at < created_at + execution_timeout AND deadline_at > :now
           THEN LEAST(CASE WHEN deadline_at > :now THEN deadline_at END, :now + execution_timeout)
           ELSE :now + execution_timeout END\
      """;

  /**
   * The insert and not a look beforehand decides whether the external id is free. Sorted like
   * starts, so that the two wait for each other in one order only.
   */
  private static final String INSERT_LIVE =
      """
      INSERT INTO kagzi.workflow_runs (
        %1$s, status, available_at, deadline_at, retries, has_children)
      SELECT %1$s, 'PENDING', :now, %2$s, retries + 1,
             EXISTS (SELECT 1 FROM kagzi.child_items c WHERE c.run_id = finished_runs.run_id)
      FROM kagzi.finished_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND status IN ('FAILED', 'TIMED_OUT')
      ORDER BY namespace_id, external_id, run_id
      ON CONFLICT DO NOTHING
      RETURNING run_id
      """
          .formatted(KEPT, DEADLINE_ANEW);

  /** Makes ended runs live again, all but those whose external id another live run has. */
  public Set<RunId> insertLive(Transaction tx, Collection<RunId> runIds, Instant now) {
    return new HashSet<>(
        tx.query(INSERT_LIVE)
            .uuids("runIds", runIds, RunId::value)
            .set("now", now)
            .list(row -> new RunId(row.uuid("run_id"))));
  }

  /**
   * Judges each step by its current row. Executed again are the step that failed, what was
   * cancelled or failed together with it, and what was begun after it; what its siblings of a
   * parallel group have completed stays. Without a failed step only what the end cancelled is
   * executed again, and the undoing with which the run ended, because its sagas are open again.
   */
  private static final String SUPERSEDE =
      """
      WITH retried AS MATERIALIZED (
        SELECT run_id, failed_step_key, finished_at
        FROM kagzi.finished_runs WHERE run_id = ANY(:runIds::uuid[])
      ), again AS MATERIALIZED (
        SELECT r.run_id, s.step_key
        FROM retried r
        LEFT JOIN LATERAL (
          SELECT seq, finished_at, parallel_group_id FROM kagzi.step_runs
          WHERE run_id = r.run_id AND step_key = r.failed_step_key AND superseded_at IS NULL
          ORDER BY settled DESC, attempt DESC
          LIMIT 1) f ON true
        CROSS JOIN LATERAL (
          SELECT max(seq) AS seq FROM kagzi.step_runs
          WHERE run_id = r.run_id AND superseded_at IS NULL
            AND NOT compensation AND saga_change >= 0) body
        CROSS JOIN LATERAL (
          SELECT DISTINCT ON (step_key) step_key, seq, status, finished_at, parallel_group_id
          FROM kagzi.step_runs
          WHERE run_id = r.run_id AND superseded_at IS NULL
          ORDER BY step_key, settled DESC, attempt DESC) s
        WHERE s.step_key = r.failed_step_key
           OR s.status = 'CANCELLED' AND s.finished_at >= COALESCE(f.finished_at, r.finished_at)
           OR s.status <> 'COMPLETED' AND s.parallel_group_id = f.parallel_group_id
           OR f.seq IS NULL AND s.seq > body.seq
           OR s.seq > f.seq
              AND (s.status = 'COMPLETED' AND s.parallel_group_id = f.parallel_group_id) IS NOT TRUE
      )
      UPDATE kagzi.step_runs s
      SET superseded_at = :now
      FROM again
      WHERE s.run_id = ANY(:runIds::uuid[]) AND s.superseded_at IS NULL
        AND s.run_id = again.run_id AND s.step_key = again.step_key
      RETURNING s.run_id, s.step_key, s.seq
      """;

  private record Superseded(RunId runId, String stepKey, int seq) {}

  /** Takes steps out of the current history and names them, in call order. */
  public Map<RunId, List<String>> supersede(Transaction tx, Collection<RunId> runIds, Instant now) {
    return inCallOrder(
        tx.query(SUPERSEDE)
            .uuids("runIds", runIds, RunId::value)
            .set("now", now)
            .list(RetryStore::readSuperseded));
  }

  private static Superseded readSuperseded(Row row) {
    return new Superseded(new RunId(row.uuid("run_id")), row.text("step_key"), row.integer("seq"));
  }

  private static Map<RunId, List<String>> inCallOrder(List<Superseded> attempts) {
    Map<RunId, List<String>> steps = new HashMap<>();
    attempts.stream()
        .sorted(Comparator.comparingInt(Superseded::seq).thenComparing(Superseded::stepKey))
        .forEach(attempt -> {
          List<String> keys = steps.computeIfAbsent(attempt.runId(), id -> new ArrayList<>());
          if (keys.isEmpty() || !keys.get(keys.size() - 1).equals(attempt.stepKey())) {
            keys.add(attempt.stepKey());
          }
        });
    return steps;
  }

  private static final String DELETE_ENDED =
      """
      DELETE FROM kagzi.finished_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND status IN ('FAILED', 'TIMED_OUT')
      """;

  /** Ends the move of runs that were made live in the same transaction. */
  public void deleteEnded(Transaction tx, Collection<RunId> runIds) {
    tx.query(DELETE_ENDED).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String FIND_SUPERSEDED =
      """
      SELECT a.run_id, s.step_key, s.seq
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT step_key, seq FROM kagzi.step_runs
        WHERE run_id = a.run_id
          AND superseded_at = (
            SELECT max(superseded_at) FROM kagzi.step_runs WHERE run_id = a.run_id)) s
      """;

  /** The steps that the last retry to supersede any has named, of each run in call order. */
  public Map<RunId, List<String>> findSuperseded(Transaction tx, Collection<RunId> runIds) {
    return inCallOrder(
        tx.query(FIND_SUPERSEDED)
            .uuids("runIds", runIds, RunId::value)
            .list(RetryStore::readSuperseded));
  }
}
