package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waits that have begun: recording them, ending those whose time has come, releasing their runs.
 */
public final class WaitStore {

  /** A wait of a run that its worker wants recorded. */
  public record NewWait(Fence fence, WaitRequest request) {}

  /** When a run that nothing but news wakes may be claimed: a moment that does not come. */
  public static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * The first recorded wake-up time wins, so that a sleep is never started over. The time of a
   * retry belongs to the attempt before it, so there the newest counts.
   */
  private static final String INSERT =
      """
      INSERT INTO kagzi.run_waits (
        run_id, step_key, seq, kind, wake_at, event_name, child_run_id, timeout_at,
        parallel_group_id, parent_step_id, since)
      SELECT t.run_id, t.step_key, t.seq, t.kind, t.wake_at, t.event_name, t.child_run_id,
             t.timeout_at, t.parallel_group_id, t.parent_step_id, :now
      FROM unnest(:runIds::uuid[], :epochs::int4[], :stepKeys::text[], :seqs::int4[],
                  :kinds::text[], :wakeAt::timestamptz[], :events::text[], :children::uuid[],
                  :timeoutAt::timestamptz[], :groups::text[], :parents::text[])
        AS t(run_id, lease_epoch, step_key, seq, kind, wake_at, event_name, child_run_id,
             timeout_at, parallel_group_id, parent_step_id)
      CROSS JOIN LATERAL (
        SELECT 1 FROM kagzi.workflow_runs w
        WHERE w.run_id = t.run_id AND w.lease_epoch = t.lease_epoch AND w.status = 'RUNNING'
        LIMIT 1) held
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
        .texts("events", waits, wait -> wait.request().eventName())
        .uuids("children", waits, wait -> Rows.idOrNull(wait.request().child()))
        .instants("timeoutAt", waits, wait -> wait.request().timeoutAt())
        .texts("groups", waits, wait -> wait.request().traits().parallelGroup())
        .texts("parents", waits, wait -> wait.request().traits().parentStep())
        .update();
  }

  /** What the end of a wait settles, under the number after those that were superseded. */
  private static final String SETTLE =
      """
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, output,
        output_metadata, error, wake_at, timeout_at, timed_out, event_name, child_run_id,
        parallel_group_id, parent_step_id, started_at, finished_at)
      SELECT o.run_id, o.step_key,
             1 + COALESCE((SELECT max(s.attempt) FROM kagzi.step_runs s
                           WHERE s.run_id = o.run_id AND s.step_key = o.step_key), 0),
             o.seq,
             CASE o.kind WHEN 'TIMER' THEN 'SLEEP' WHEN 'EVENT' THEN 'EVENT'
                         ELSE 'CHILD_WORKFLOW' END,
             o.status, true, w.lease_epoch, o.output, o.output_metadata::jsonb, o.error::jsonb,
             o.wake_at, o.timeout_at, o.timed_out, o.event_name, o.child_run_id,
             o.parallel_group_id, o.parent_step_id, o.since, :now
      FROM ended AS o JOIN kagzi.workflow_runs w USING (run_id)
      WHERE o.kind <> 'RETRY' AND w.run_id = ANY(ARRAY(SELECT run_id FROM ended))
      ON CONFLICT DO NOTHING
      """;

  /**
   * A timer that rings or a wait whose time is up is deleted and its step settled in one statement:
   * never one without the other. The end of a retry's wait settles nothing; the step is simply
   * tried again.
   */
  private static final String END_DUE =
      """
      WITH ended AS (
        DELETE FROM kagzi.run_waits
        WHERE run_id = ANY(:runIds::uuid[]) AND LEAST(wake_at, timeout_at) <= :now
        RETURNING *, 'COMPLETED' AS status, NULL::bytea AS output, NULL::text AS output_metadata,
                  NULL::text AS error, kind IN ('EVENT', 'CHILD') AS timed_out
      )
      """
          + SETTLE;

  /** Ends what the clock ends; the caller holds the locks. */
  public void endDue(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(END_DUE).set("now", now).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String END =
      """
      WITH ended AS (
        DELETE FROM kagzi.run_waits w
        USING unnest(:runIds::uuid[], :stepKeys::text[], :statuses::text[], :outputs::bytea[],
                     :outputMetadata::text[], :errors::text[], :children::uuid[])
          AS e(run_id, step_key, status, output, output_metadata, error, child)
        WHERE w.run_id = e.run_id AND w.step_key = e.step_key AND w.run_id = ANY(:runIds::uuid[])
        RETURNING w.run_id, w.step_key, w.seq, w.kind, w.wake_at, w.event_name, w.timeout_at,
                  w.parallel_group_id, w.parent_step_id, w.since,
                  COALESCE(w.child_run_id, e.child) AS child_run_id, e.status, e.output,
                  e.output_metadata, e.error, false AS timed_out
      )
      """
          + SETTLE
          + """
          RETURNING run_id, step_key
          """;

  /** Ends waits by what they waited for, and says which were open; the caller holds the locks. */
  public List<StepStore.Step> end(Transaction tx, List<EndedWait> ended, Instant now) {
    return tx.query(END)
        .set("now", now)
        .uuids("runIds", ended, wait -> wait.runId().value())
        .texts("stepKeys", ended, EndedWait::stepKey)
        .texts("statuses", ended, wait -> wait.status().name())
        .byteArrays("outputs", ended, wait -> Rows.dataOrNull(wait.output()))
        .texts("outputMetadata", ended, wait -> Rows.metadataOrNull(wait.output()))
        .texts("errors", ended, wait -> Json.ofFailure(wait.error()))
        .uuids("children", ended, wait -> Rows.idOrNull(wait.child()))
        .list(row -> new StepStore.Step(new RunId(row.uuid("run_id")), row.text("step_key")));
  }

  private static final String FIND =
      """
      SELECT w.run_id, w.step_key, LEAST(w.wake_at, w.timeout_at) AS ends_at
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      CROSS JOIN LATERAL (
        SELECT * FROM kagzi.run_waits
        WHERE run_id = a.run_id AND step_key = a.step_key
        LIMIT 1) w
      """;

  /** Which of these steps still wait, and until when; those that wait without an end, never. */
  public Map<StepStore.Step, Instant> findOpen(Transaction tx, Collection<StepStore.Step> steps) {
    Map<StepStore.Step, Instant> found = new HashMap<>();
    tx.query(FIND)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, StepStore.Step::stepKey)
        .list(row ->
            Map.entry(
                new StepStore.Step(new RunId(row.uuid("run_id")), row.text("step_key")),
                Objects.requireNonNullElse(row.instantOrNull("ends_at"), NEVER)))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  /** Hands runs back until the earliest of their waits ends. */
  private static final String RELEASE_WAITING =
      """
      UPDATE kagzi.workflow_runs r
      SET status = CASE WHEN s.only_retries THEN 'PENDING' ELSE 'SLEEPING' END,
          wait_reason = s.reason, wake_when = s.wake_when, available_at = s.ends_at, lease_until = NULL, locked_by = NULL,
          claim_id = NULL
      FROM (
        SELECT a.run_id, a.lease_epoch, a.wake_when,
               COALESCE(min(LEAST(w.wake_at, w.timeout_at)), :never) AS ends_at,
               bool_and(w.kind = 'RETRY') AS only_retries,
               CASE WHEN bool_or(w.kind = 'EVENT') THEN 'EVENT'
                    WHEN bool_or(w.kind = 'CHILD') THEN 'CHILD'
                    WHEN bool_or(w.kind = 'TIMER') THEN 'SLEEP' ELSE 'RETRY' END AS reason
        FROM unnest(:runIds::uuid[], :epochs::int4[], :wakeWhen::text[])
          AS a(run_id, lease_epoch, wake_when)
        JOIN kagzi.run_waits w ON w.run_id = a.run_id AND w.run_id = ANY(:runIds::uuid[])
        GROUP BY a.run_id, a.lease_epoch, a.wake_when) s
      WHERE r.run_id = s.run_id AND r.lease_epoch = s.lease_epoch AND r.status = 'RUNNING'
        AND r.run_id = ANY(:runIds::uuid[])
      RETURNING r.run_id, r.available_at
      """;

  /** A run to be handed back, and what is to wake it. */
  public record Release(Fence fence, WakeWhen wakeWhen) {}

  /** Releases runs and says when each is due again. */
  public Map<RunId, Instant> releaseWaiting(Transaction tx, Collection<Release> releases) {
    Map<RunId, Instant> due = new HashMap<>();
    tx.query(RELEASE_WAITING)
        .set("never", NEVER)
        .uuids("runIds", releases, release -> release.fence().runId().value())
        .ints("epochs", releases, release -> release.fence().epoch())
        .texts("wakeWhen", releases, release -> release.wakeWhen().name())
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), row.instant("available_at")))
        .forEach(entry -> due.put(entry.getKey(), entry.getValue()));
    return due;
  }

  /**
   * Only who sleeps is woken. A run that is PENDING although it has waits is due already, or has to
   * sit out the backoff of its own failure. One that needs all that it waits for sleeps on until
   * there is nothing left of it. What runs do is read here and not taken from the locking of their
   * rows: the same transaction may have put them to sleep since.
   */
  private static final String WAKE =
      """
      WITH woken AS (
        UPDATE kagzi.workflow_runs r
        SET available_at = :now
        WHERE r.run_id = ANY(:runIds::uuid[]) AND r.status = 'SLEEPING' AND r.available_at > :now
          AND (r.wake_when IS NULL OR r.wake_when = 'ANY'
               OR r.wake_when = 'ALL_OR_FAILED' AND r.run_id = ANY(:failed::uuid[])
               OR NOT EXISTS (SELECT 1 FROM kagzi.run_waits w
                              WHERE w.run_id = r.run_id AND w.kind IN ('EVENT', 'CHILD')
                              OFFSET 0))
        RETURNING r.run_id
      )
      SELECT r.run_id, r.namespace_id, r.task_queue, r.lease_epoch, r.locked_by
      FROM kagzi.workflow_runs r LEFT JOIN woken USING (run_id)
      WHERE r.run_id = ANY(:runIds::uuid[]) AND (woken.run_id IS NOT NULL OR r.status = 'RUNNING')
      """;

  /**
   * A run that can go on.
   *
   * @param worker who holds it; null if it sleeps
   */
  public record Roused(RunId runId, QueueKey queue, int epoch, @Nullable WorkerId worker) {}

  /**
   * Lets sleeping runs be claimed at once, and says which runs sleep no more or were not sleeping;
   * the caller holds the locks.
   *
   * @param failed those of the runs of whose waits one has ended without a result
   */
  public List<Roused> wake(
      Transaction tx, Collection<RunId> runIds, Collection<RunId> failed, Instant now) {
    return tx.query(WAKE)
        .set("now", now)
        .uuids("runIds", runIds, RunId::value)
        .uuids("failed", failed, RunId::value)
        .list(row ->
            new Roused(
                new RunId(row.uuid("run_id")),
                new QueueKey(row.text("namespace_id"), row.text("task_queue")),
                row.integer("lease_epoch"),
                Rows.workerOrNull(row, "locked_by")));
  }
}
