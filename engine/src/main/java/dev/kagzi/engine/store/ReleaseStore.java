package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Handing held runs back without an outcome. */
public final class ReleaseStore {

  /** Locks in the one order, because a claim that could not be delivered comes here unlocked. */
  private static final String RELEASE =
      """
      WITH held AS MATERIALIZED (
        SELECT r.run_id
        FROM unnest(:runIds::uuid[], :epochs::int4[]) AS a(run_id, lease_epoch)
        JOIN kagzi.workflow_runs r
          ON r.run_id = a.run_id AND r.lease_epoch = a.lease_epoch AND r.status = 'RUNNING'
         AND r.run_id = ANY(:runIds::uuid[])
        ORDER BY r.run_id
        FOR NO KEY UPDATE OF r
      )
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', available_at = :now, lease_until = NULL, locked_by = NULL,
          claim_id = NULL
      WHERE r.run_id = ANY(ARRAY(SELECT run_id FROM held))
      RETURNING r.run_id
      """;

  /** Makes runs claimable again at once; nobody's fault, so no crash is counted. */
  public List<RunId> release(Transaction tx, Collection<Fence> fences, Instant now) {
    return tx.query(RELEASE)
        .uuids("runIds", fences, fence -> fence.runId().value())
        .ints("epochs", fences, Fence::epoch)
        .set("now", now)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  /** A run that failed outside its steps and is tried again. */
  public record Retry(Fence fence, Instant at, Failure error) {}

  private static final String RETRY_LATER =
      """
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', wait_reason = 'RETRY', available_at = a.at,
          failures = r.failures + 1, last_error = a.error::jsonb, lease_until = NULL,
          locked_by = NULL, claim_id = NULL
      FROM unnest(:runIds::uuid[], :epochs::int4[], :at::timestamptz[], :errors::text[])
        AS a(run_id, lease_epoch, at, error)
      WHERE r.run_id = a.run_id AND r.lease_epoch = a.lease_epoch AND r.status = 'RUNNING'
        AND r.run_id = ANY(:runIds::uuid[])
      """;

  /** Charges a failure to runs and lets them wait; the caller holds the locks. */
  public void retryLater(Transaction tx, Collection<Retry> retries) {
    tx.query(RETRY_LATER)
        .uuids("runIds", retries, retry -> retry.fence().runId().value())
        .ints("epochs", retries, retry -> retry.fence().epoch())
        .instants("at", retries, Retry::at)
        .texts("errors", retries, retry -> Json.ofFailure(retry.error()))
        .update();
  }

  /** A run to be parked and why. */
  public record Park(Fence fence, Divergence divergence) {}

  /** The wait doubles with each try: 5 s, 10 s, ... 5 minutes. */
  private static final String PARK =
      """
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', wait_reason = 'NON_DETERMINISM', lease_until = NULL,
          locked_by = NULL, claim_id = NULL,
          available_at = :now + LEAST(interval '5 minutes',
            interval '5 seconds' * 2 ^ LEAST(COALESCE((r.divergence ->> 'tries')::int, 0), 10)),
          divergence = jsonb_build_object(
            'expected', a.expected, 'found', a.found, 'message', a.message,
            'tries', COALESCE((r.divergence ->> 'tries')::int, 0) + 1)
      FROM unnest(:runIds::uuid[], :epochs::int4[], :expected::text[], :found::text[],
                  :messages::text[]) AS a(run_id, lease_epoch, expected, found, message)
      WHERE r.run_id = a.run_id AND r.lease_epoch = a.lease_epoch AND r.status = 'RUNNING'
        AND r.run_id = ANY(:runIds::uuid[])
      """;

  /** Hands back runs that the code of their worker does not fit; the caller holds the locks. */
  public void park(Transaction tx, Collection<Park> parks, Instant now) {
    tx.query(PARK)
        .set("now", now)
        .uuids("runIds", parks, park -> park.fence().runId().value())
        .ints("epochs", parks, park -> park.fence().epoch())
        .texts("expected", parks, park -> park.divergence().expected())
        .texts("found", parks, park -> park.divergence().found())
        .texts("messages", parks, park -> park.divergence().message())
        .update();
  }

  /** SKIP LOCKED: a parked run that somebody works on needs no waking. */
  private static final String WAKE_PARKED =
      """
      WITH parked AS MATERIALIZED (
        SELECT run_id
        FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace AND task_queue = :taskQueue
          AND workflow_type = ANY(:types::text[]) AND status = 'PENDING'
          AND wait_reason = 'NON_DETERMINISM'
        LIMIT :limit
        FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE kagzi.workflow_runs r
      SET available_at = :now
      WHERE r.run_id = ANY(ARRAY(SELECT run_id FROM parked))
      """;

  /** Lets a newly registered worker try the parked runs of its types at once. */
  public int wakeParked(Transaction tx, WorkerRegistration worker, int limit, Instant now) {
    return tx.query(WAKE_PARKED)
        .set("namespace", worker.queue().namespace())
        .set("taskQueue", worker.queue().taskQueue())
        .texts("types", worker.types(), TypeVersion::workflowType)
        .set("limit", limit)
        .set("now", now)
        .update();
  }
}
