package dev.kagzi.engine.store;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs as rows: locking live ones, reading live and ended ones. */
public final class RunStore {

  /** What {@link #readLive} reads. */
  static final String LIVE_COLUMNS =
      """
      run_id, namespace_id, task_queue, workflow_type, version, status, lease_epoch, locked_by,
      available_at, open_sagas, stop_requested, stop_reason, stop_requested_at\
      """;

  /**
   * Takes the locks of a whole batch in one order, so that no two batches can wait for each other
   * in a circle. The end of a child is news for its parent, whose lock is taken with the others:
   * who a run's parent is never changes, so that it can be read before. NO KEY is enough: nothing
   * references these rows.
   */
  private static final String LOCK =
      """
      SELECT %s
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(ARRAY(
          SELECT unnest(:runIds::uuid[])
          UNION
          SELECT parent_run_id FROM kagzi.workflow_runs
          WHERE run_id = ANY(:ending::uuid[]) AND parent_run_id IS NOT NULL))
        AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
      ORDER BY run_id
      FOR NO KEY UPDATE
      """
          .formatted(LIVE_COLUMNS);

  /** Locks live runs, and the live parents of those that may end. */
  public Map<RunId, LiveRun> lock(
      Transaction tx, Collection<RunId> runIds, Collection<RunId> ending) {
    Map<RunId, LiveRun> locked = new HashMap<>();
    tx.query(LOCK)
        .uuids("runIds", runIds, RunId::value)
        .uuids("ending", ending, RunId::value)
        .list(RunStore::readLive)
        .forEach(run -> locked.put(run.runId(), run));
    return locked;
  }

  /** Locks live runs of which none ends. */
  public Map<RunId, LiveRun> lock(Transaction tx, Collection<RunId> runIds) {
    return lock(tx, runIds, List.of());
  }

  static LiveRun readLive(Row row) {
    return new LiveRun(
        new RunId(row.uuid("run_id")),
        Rows.target(row),
        RunStatus.valueOf(row.text("status")),
        row.integer("lease_epoch"),
        Rows.workerOrNull(row, "locked_by"),
        row.instantOrNull("available_at"),
        row.integer("open_sagas"),
        Rows.stopOrNull(row));
  }

  private static final String FIND_ENDED =
      """
      SELECT a.run_id, f.namespace_id, f.status, f.lease_epoch, f.continued_as_run_id
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT namespace_id, status, lease_epoch, continued_as_run_id
        FROM kagzi.finished_runs WHERE run_id = a.run_id) f
      """;

  public Map<RunId, EndedRun> findEnded(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, EndedRun> ended = new HashMap<>();
    tx.query(FIND_ENDED)
        .uuids("runIds", runIds, RunId::value)
        .list(RunStore::readEnded)
        .forEach(run -> ended.put(run.runId(), run));
    return ended;
  }

  private static EndedRun readEnded(Row row) {
    return new EndedRun(
        new RunId(row.uuid("run_id")),
        row.text("namespace_id"),
        RunStatus.valueOf(row.text("status")),
        row.integer("lease_epoch"),
        RunRows.runOrNull(row, "continued_as_run_id"));
  }

  /** How far one query follows a chain; whoever is not at its end then asks again. */
  private static final String FIND_LAST =
      """
      WITH RECURSIVE chain AS (
        SELECT :runId::uuid AS run_id, 0 AS hops
        UNION ALL
        SELECT f.continued_as_run_id, c.hops + 1
        FROM chain c
        CROSS JOIN LATERAL (
          SELECT continued_as_run_id FROM kagzi.finished_runs
          WHERE run_id = c.run_id AND continued_as_run_id IS NOT NULL) f
        WHERE c.hops < 10000
      )
      SELECT run_id FROM chain ORDER BY hops DESC LIMIT 1
      """;

  /** The last run of the chain that a run began by continuing; itself if it did not. */
  public RunId findLast(Transaction tx, RunId runId) {
    return tx.query(FIND_LAST)
        .set("runId", runId.value())
        .only(row -> new RunId(row.uuid("run_id")));
  }

  private static final String RUNS =
      """
      SELECT %s
      FROM kagzi.workflow_runs r
      WHERE run_id = ANY(:runIds::uuid[]) AND status NOT IN ('SCHEDULED', 'PAUSED')%s
      UNION ALL
      SELECT %s
      FROM unnest(:runIds::uuid[]) AS asked(id)
      CROSS JOIN LATERAL (SELECT * FROM kagzi.finished_runs WHERE run_id = asked.id%s) f
      """;
  private static final String OF_A_NAMESPACE = " AND namespace_id = :namespace";
  private static final String FIND =
      RUNS.formatted(RunRows.LIVE, OF_A_NAMESPACE, RunRows.ENDED, OF_A_NAMESPACE);

  public Optional<Run> find(Transaction tx, String namespace, RunId runId) {
    return tx.query(FIND)
        .uuids("runIds", Set.of(runId), RunId::value)
        .set("namespace", namespace)
        .first(RunRows::read);
  }

  private static final String FIND_ALL = RUNS.formatted(RunRows.LIVE, "", RunRows.ENDED, "");

  /** Runs of any namespace as they are now, or as they ended; some may be missing. */
  public List<Run> findAll(Transaction tx, Collection<RunId> runIds) {
    return tx.query(FIND_ALL).uuids("runIds", runIds, RunId::value).list(RunRows::read);
  }

  private static final String FIND_ID_BY_EXTERNAL_ID =
      """
      SELECT run_id FROM (
        SELECT run_id, true AS live FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace AND external_id = :externalId
        UNION ALL
        (SELECT run_id, false FROM kagzi.finished_runs
         WHERE namespace_id = :namespace AND external_id = :externalId
         ORDER BY run_id DESC LIMIT 1)) AS runs
      ORDER BY live DESC LIMIT 1
      """;

  /** The live run with an external id, or else the newest that had it. */
  public Optional<RunId> findIdByExternalId(Transaction tx, String namespace, String externalId) {
    return tx.query(FIND_ID_BY_EXTERNAL_ID)
        .set("namespace", namespace)
        .set("externalId", externalId)
        .first(row -> new RunId(row.uuid("run_id")));
  }

  /** What decides whether a run that failed outside its steps is tried again. */
  public record RunRetry(@Nullable PartialRetryPolicy policy, int failures) {}

  private static final String FIND_RETRIES =
      """
      SELECT run_id, retry_policy, failures
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[])
      """;

  public Map<RunId, RunRetry> findRetries(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, RunRetry> found = new HashMap<>();
    tx.query(FIND_RETRIES)
        .uuids("runIds", runIds, RunId::value)
        .list(row ->
            Map.entry(
                new RunId(row.uuid("run_id")),
                new RunRetry(
                    Json.toPartial(row.textOrNull("retry_policy")), row.integer("failures"))))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  private static final String WHICH_HAVE_ENDED =
      """
      SELECT a.run_id
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      WHERE EXISTS (SELECT 1 FROM kagzi.finished_runs f WHERE f.run_id = a.run_id)
      """;

  /** Which of these runs have ended; for those who wait and may have missed the news. */
  public List<RunId> whichHaveEnded(Transaction tx, Collection<RunId> runIds) {
    return tx.query(WHICH_HAVE_ENDED)
        .uuids("runIds", runIds, RunId::value)
        .list(row -> new RunId(row.uuid("run_id")));
  }
}
