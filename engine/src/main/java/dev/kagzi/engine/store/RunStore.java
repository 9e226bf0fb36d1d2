package dev.kagzi.engine.store;

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

/** Runs as rows: locking live ones, reading live and ended ones. */
public final class RunStore {

  /**
   * Takes the locks of a whole batch in one order, so that no two batches can wait for each other
   * in a circle. NO KEY is enough: nothing references these rows.
   */
  private static final String LOCK =
      """
      SELECT run_id, namespace_id, task_queue, workflow_type, version, status, lease_epoch,
             locked_by, available_at
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[])
        AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
      ORDER BY run_id
      FOR NO KEY UPDATE
      """;

  public Map<RunId, LiveRun> lock(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, LiveRun> locked = new HashMap<>();
    tx.query(LOCK)
        .uuids("runIds", runIds, RunId::value)
        .list(RunStore::readLive)
        .forEach(run -> locked.put(run.runId(), run));
    return locked;
  }

  static LiveRun readLive(Row row) {
    return new LiveRun(
        new RunId(row.uuid("run_id")),
        Rows.target(row),
        RunStatus.valueOf(row.text("status")),
        row.integer("lease_epoch"),
        Rows.workerOrNull(row, "locked_by"),
        row.instantOrNull("available_at"));
  }

  private static final String FIND_ENDED =
      """
      SELECT a.run_id, f.namespace_id, f.status, f.lease_epoch
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT namespace_id, status, lease_epoch
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
        row.integer("lease_epoch"));
  }

  /** The lease end of a running run is shown as its availability: then it can be claimed again. */
  private static final String FIND =
      """
      SELECT run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
             wait_reason, COALESCE(available_at, lease_until) AS available_at, locked_by AS worker,
             lease_epoch, failures, crashes, labels, created_at, started_at,
             NULL::timestamptz AS finished_at, deadline_at,
             NULL::bytea AS output, NULL::jsonb AS output_metadata, NULL::jsonb AS error,
             NULL::text AS failed_step_key, NULL::text AS stop_reason
      FROM kagzi.workflow_runs
      WHERE run_id = ANY(:runIds::uuid[]) AND status NOT IN ('SCHEDULED', 'PAUSED')
      UNION ALL
      SELECT run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
             NULL, NULL, finished_by, lease_epoch, failures, crashes, labels, created_at,
             started_at, finished_at, deadline_at, output, output_metadata, error, failed_step_key,
             stop_reason
      FROM unnest(:runIds::uuid[]) AS asked(id)
      CROSS JOIN LATERAL (SELECT * FROM kagzi.finished_runs WHERE run_id = asked.id) f
      """;

  public Optional<Run> find(Transaction tx, String namespace, RunId runId) {
    return findAll(tx, Set.of(runId)).stream()
        .filter(run -> run.target().namespace().equals(namespace))
        .findFirst();
  }

  /** Runs of any namespace as they are now, or as they ended; some may be missing. */
  public List<Run> findAll(Transaction tx, Collection<RunId> runIds) {
    return tx.query(FIND).uuids("runIds", runIds, RunId::value).list(RunStore::readRun);
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

  static Run readRun(Row row) {
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
        Json.toMap(row.textOrNull("labels")),
        new Run.Times(
            row.instant("created_at"),
            row.instantOrNull("started_at"),
            row.instantOrNull("finished_at"),
            row.instantOrNull("deadline_at")),
        status.isTerminal() ? readEnding(row) : null);
  }

  private static Run.Ending readEnding(Row row) {
    return new Run.Ending(
        Json.toPayload(row.bytesOrNull("output"), row.textOrNull("output_metadata")),
        Json.toFailure(row.textOrNull("error")),
        row.textOrNull("failed_step_key"),
        row.textOrNull("stop_reason"));
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
