package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Waits that have begun: recording them, ending those whose time has come, releasing their runs.
 */
public final class WaitStore {

  /** A wait of a run that its worker wants recorded. */
  public record NewWait(Fence fence, WaitRequest request) {}

  /**
   * The first recorded wake-up time wins, so that a sleep is never started over. The time of a
   * retry belongs to the attempt before it, so there the newest counts.
   */
  private static final String INSERT =
      """
      INSERT INTO kagzi.run_waits (run_id, step_key, seq, kind, wake_at, since)
      SELECT t.run_id, t.step_key, t.seq, t.kind, t.wake_at, :now
      FROM unnest(:runIds::uuid[], :epochs::int4[], :stepKeys::text[], :seqs::int4[],
                  :kinds::text[], :wakeAt::timestamptz[])
        AS t(run_id, lease_epoch, step_key, seq, kind, wake_at)
      JOIN kagzi.workflow_runs w
        ON w.run_id = t.run_id AND w.lease_epoch = t.lease_epoch AND w.status = 'RUNNING'
      WHERE NOT EXISTS (
        SELECT 1 FROM kagzi.step_runs s
        WHERE s.run_id = t.run_id AND s.step_key = t.step_key
          AND s.settled AND s.superseded_at IS NULL)
      ON CONFLICT (run_id, step_key) DO UPDATE SET wake_at = EXCLUDED.wake_at
        WHERE run_waits.kind = 'RETRY' AND EXCLUDED.kind = 'RETRY'
      """;

  public void insert(Transaction tx, List<NewWait> waits, Instant now) {
    tx.query(INSERT)
        .set("now", now)
        .uuids("runIds", waits, wait -> wait.fence().runId().value())
        .ints("epochs", waits, wait -> wait.fence().epoch())
        .texts("stepKeys", waits, wait -> wait.request().stepKey())
        .ints("seqs", waits, wait -> wait.request().seq())
        .texts("kinds", waits, wait -> wait.request().kind().name())
        .instants("wakeAt", waits, wait -> wait.request().wakeAt())
        .update();
  }

  /**
   * A timer that rings is deleted and its step settled in one statement: never one without the
   * other. It takes the number after those that were superseded. The end of a retry's wait settles
   * nothing; the step is simply tried again.
   */
  private static final String END_DUE =
      """
      WITH due AS (
        DELETE FROM kagzi.run_waits
        WHERE run_id = ANY(:runIds::uuid[]) AND kind IN ('TIMER', 'RETRY') AND wake_at <= :now
        RETURNING *
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, wake_at, started_at,
        finished_at)
      SELECT due.run_id, due.step_key,
             1 + COALESCE((SELECT max(s.attempt) FROM kagzi.step_runs s
                           WHERE s.run_id = due.run_id AND s.step_key = due.step_key), 0),
             due.seq, 'SLEEP', 'COMPLETED', true, w.lease_epoch, due.wake_at, due.since, :now
      FROM due JOIN kagzi.workflow_runs w USING (run_id)
      WHERE due.kind = 'TIMER'
      ON CONFLICT DO NOTHING
      """;

  public void endDue(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(END_DUE).set("now", now).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String FIND =
      """
      SELECT w.run_id, w.step_key, w.wake_at
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      JOIN kagzi.run_waits w ON w.run_id = a.run_id AND w.step_key = a.step_key
      """;

  /** The recorded wake-up times of these steps, as far as they still wait. */
  public Map<StepStore.Step, Instant> findWakeTimes(
      Transaction tx, Collection<StepStore.Step> steps) {
    Map<StepStore.Step, Instant> found = new HashMap<>();
    tx.query(FIND)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, StepStore.Step::stepKey)
        .list(row ->
            Map.entry(
                new StepStore.Step(new RunId(row.uuid("run_id")), row.text("step_key")),
                row.instant("wake_at")))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  /** Hands runs back until the earliest of their waits ends. */
  private static final String RELEASE_WAITING =
      """
      UPDATE kagzi.workflow_runs r
      SET status = CASE WHEN s.only_retries THEN 'PENDING' ELSE 'SLEEPING' END,
          wait_reason = CASE WHEN s.only_retries THEN 'RETRY' ELSE 'SLEEP' END,
          available_at = s.wake_at, lease_until = NULL, locked_by = NULL, claim_id = NULL
      FROM (
        SELECT a.run_id, a.lease_epoch, min(w.wake_at) AS wake_at,
               bool_and(w.kind = 'RETRY') AS only_retries
        FROM unnest(:runIds::uuid[], :epochs::int4[]) AS a(run_id, lease_epoch)
        JOIN kagzi.run_waits w ON w.run_id = a.run_id
        WHERE w.wake_at IS NOT NULL
        GROUP BY a.run_id, a.lease_epoch) s
      WHERE r.run_id = s.run_id AND r.lease_epoch = s.lease_epoch AND r.status = 'RUNNING'
      RETURNING r.run_id, r.available_at
      """;

  /** Releases runs and says when each is due again. */
  public Map<RunId, Instant> releaseWaiting(Transaction tx, Collection<Fence> fences) {
    Map<RunId, Instant> due = new HashMap<>();
    tx.query(RELEASE_WAITING)
        .uuids("runIds", fences, fence -> fence.runId().value())
        .ints("epochs", fences, Fence::epoch)
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), row.instant("available_at")))
        .forEach(entry -> due.put(entry.getKey(), entry.getValue()));
    return due;
  }
}
