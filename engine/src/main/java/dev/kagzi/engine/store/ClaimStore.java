package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Claiming due runs for workers that wait. */
public final class ClaimStore {

  /**
   * One statement claims a run for each free slot. LATERAL per (type, version) keeps due runs that
   * nobody here serves out of the scan; MATERIALIZED keeps the planner from evaluating the LIMIT
   * more than once; SKIP LOCKED keeps claimers out of each other's way. The n-th run goes to the
   * n-th slot of a worker that is online; a namespace that is disabled has none. A run past its
   * deadline is left to the deadline loop. The scan of a type begins at its floor, past index
   * entries of runs that are long claimed.
   */
  private static final String CLAIM =
      """
      WITH slots AS MATERIALIZED (
        SELECT asked.worker_id, asked.claim_id, row_number() OVER (ORDER BY asked.turn) AS slot
        FROM unnest(:workers::uuid[], :claimIds::uuid[]) WITH ORDINALITY
          AS asked(worker_id, claim_id, turn)
        JOIN kagzi.workers w ON w.worker_id = asked.worker_id AND w.status = 'ONLINE'
        WHERE EXISTS (SELECT 1 FROM kagzi.namespaces WHERE namespace_id = :namespace AND enabled)
      ), due AS MATERIALIZED (
        SELECT d.run_id, d.available_at, row_number() OVER (ORDER BY d.available_at) AS slot
        FROM unnest(:types::text[], :versions::text[], :floors::timestamptz[])
          AS served(workflow_type, version, floor)
        CROSS JOIN LATERAL (
          SELECT run_id, available_at
          FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace
            AND task_queue = :taskQueue
            AND workflow_type = served.workflow_type
            AND version = served.version
            AND status IN ('PENDING', 'SLEEPING')
            AND available_at BETWEEN served.floor AND :now
            AND (deadline_at IS NULL OR deadline_at > :now OR stop_requested IS NOT NULL)
          ORDER BY available_at
          LIMIT (SELECT count(*) FROM slots)
          FOR UPDATE SKIP LOCKED) d
        ORDER BY d.available_at
        LIMIT (SELECT count(*) FROM slots)
      )
      UPDATE kagzi.workflow_runs r
      SET status = 'RUNNING', wait_reason = NULL, available_at = NULL,
          lease_until = :now + COALESCE(r.lease_duration, :leaseMillis * interval '1 millisecond'),
          leased_at = :now, locked_by = s.worker_id, claim_id = s.claim_id,
          lease_epoch = r.lease_epoch + 1, started_at = COALESCE(r.started_at, :now)
      FROM due
      JOIN slots s ON s.slot = due.slot
      WHERE r.run_id = due.run_id AND r.run_id = ANY(ARRAY(SELECT run_id FROM due))
      RETURNING due.available_at AS due_at, %s
      """
          .formatted(claimColumns("r"));

  /** The lease begins anew, because the worker counts it from the answer that it gets now. */
  private static final String CLAIM_AGAIN =
      """
      WITH claimed AS MATERIALIZED (
        SELECT r.run_id
        FROM unnest(:workers::uuid[], :claimIds::uuid[]) AS asked(worker_id, claim_id)
        JOIN kagzi.workflow_runs r
          ON r.locked_by = asked.worker_id AND r.claim_id = asked.claim_id
         AND r.locked_by = ANY(:workers::uuid[])
      ), held AS MATERIALIZED (
        SELECT run_id
        FROM kagzi.workflow_runs
        WHERE run_id = ANY(ARRAY(SELECT run_id FROM claimed))
          AND locked_by = ANY(:workers::uuid[])
          AND claim_id = ANY(:claimIds::uuid[])
        ORDER BY run_id
        FOR NO KEY UPDATE
      )
      UPDATE kagzi.workflow_runs r
      SET lease_until = GREATEST(r.lease_until,
            :now + COALESCE(r.lease_duration, :leaseMillis * interval '1 millisecond'))
      WHERE r.run_id = ANY(ARRAY(SELECT run_id FROM held))
      RETURNING r.started_at AS due_at, %s
      """
          .formatted(claimColumns("r"));

  private static String claimColumns(String row) {
    return """
    %1$s.run_id, %1$s.namespace_id, %1$s.task_queue, %1$s.workflow_type, %1$s.version,
    %1$s.lease_epoch, %1$s.locked_by, %1$s.claim_id, %1$s.lease_until, %1$s.external_id, %1$s.retry_policy,
    extract(epoch FROM %1$s.step_timeout) * 1000 AS step_timeout_ms,
    extract(epoch FROM %1$s.lease_duration) * 1000 AS lease_duration_ms,
    extract(epoch FROM %1$s.execution_timeout) * 1000 AS execution_timeout_ms,
    %1$s.on_failure_workflow, %1$s.on_failure_task_queue, %1$s.deadline_at, %1$s.failures,
    %1$s.labels, %1$s.traceparent, %1$s.handler_for_run_id, %1$s.parent_run_id,
    %1$s.parent_step_key, %1$s.schedule_group_id, %1$s.fire_at, %1$s.continued_from_run_id,
    %1$s.created_at, %1$s.stop_requested, %1$s.stop_reason, %1$s.stop_requested_at,
    (%1$s.lease_epoch = 1 AND %1$s.forked_from_run_id IS NULL) AS first_claim\
    """
        .formatted(row);
  }

  /**
   * Room for one run at a worker.
   *
   * @param claimId the poll that offers it; a poll that is repeated is known by it
   */
  public record Slot(WorkerId worker, UUID claimId) {}

  /** A type that is served, and the due time from which on there can be runs of it to claim. */
  public record Scan(TypeVersion type, Instant floor) {}

  /**
   * A claimed run.
   *
   * @param dueAt when it had become claimable
   */
  public record Claimed(Task.Claim claim, UUID claimId, Instant dueAt) {}

  /** Claims up to one run for each slot. */
  public List<Claimed> claim(
      Transaction tx,
      QueueKey queue,
      List<Scan> scans,
      List<Slot> slots,
      Duration lease,
      Instant now) {
    return tx.query(CLAIM)
        .set("namespace", queue.namespace())
        .set("taskQueue", queue.taskQueue())
        .texts("types", scans, scan -> scan.type().workflowType())
        .texts("versions", scans, scan -> scan.type().version())
        .instants("floors", scans, Scan::floor)
        .uuids("workers", slots, slot -> slot.worker().value())
        .uuids("claimIds", slots, Slot::claimId)
        .set("leaseMillis", lease.toMillis())
        .set("now", now)
        .list(ClaimStore::readClaimed);
  }

  /**
   * What was claimed for these polls before and is still held by their workers: nobody knows
   * whether the worker has heard of it.
   */
  public List<Claimed> claimAgain(
      Transaction tx, Collection<Slot> polls, Duration lease, Instant now) {
    return tx.query(CLAIM_AGAIN)
        .uuids("workers", polls, slot -> slot.worker().value())
        .uuids("claimIds", polls, Slot::claimId)
        .set("leaseMillis", lease.toMillis())
        .set("now", now)
        .list(ClaimStore::readClaimed);
  }

  /** A run and whose it is to be. */
  public record Assignment(RunId runId, Slot slot) {}

  private static final String CLAIM_NEW =
      """
      UPDATE kagzi.workflow_runs r
      SET status = 'RUNNING', available_at = NULL,
          lease_until = :now + COALESCE(r.lease_duration, :leaseMillis * interval '1 millisecond'),
          leased_at = :now, locked_by = a.worker_id, claim_id = a.claim_id,
          lease_epoch = r.lease_epoch + 1, started_at = :now
      FROM unnest(:runIds::uuid[], :workers::uuid[], :claimIds::uuid[])
        AS a(run_id, worker_id, claim_id)
      JOIN kagzi.workers w ON w.worker_id = a.worker_id AND w.status = 'ONLINE'
      WHERE r.run_id = a.run_id AND r.run_id = ANY(:runIds::uuid[])
        AND r.status = 'PENDING' AND r.lease_epoch = 0
        AND EXISTS (SELECT 1 FROM kagzi.namespaces n
                    WHERE n.namespace_id = r.namespace_id AND n.enabled)
      RETURNING r.created_at AS due_at, %s
      """
          .formatted(claimColumns("r"));

  /** Claims runs that this transaction has inserted, so that nobody else can know of them. */
  public List<Claimed> claimNew(
      Transaction tx, List<Assignment> assignments, Duration lease, Instant now) {
    return tx.query(CLAIM_NEW)
        .uuids("runIds", assignments, assignment -> assignment.runId().value())
        .uuids("workers", assignments, assignment -> assignment.slot().worker().value())
        .uuids("claimIds", assignments, assignment -> assignment.slot().claimId())
        .set("leaseMillis", lease.toMillis())
        .set("now", now)
        .list(ClaimStore::readClaimed);
  }

  private static Claimed readClaimed(Row row) {
    return new Claimed(readClaim(row), row.uuid("claim_id"), row.instant("due_at"));
  }

  private static Task.Claim readClaim(Row row) {
    return new Task.Claim(
        new RunId(row.uuid("run_id")),
        row.integer("lease_epoch"),
        Rows.target(row),
        Objects.requireNonNull(Rows.workerOrNull(row, "locked_by")),
        row.instant("lease_until"),
        row.textOrNull("external_id"),
        Rows.policies(row),
        row.instantOrNull("deadline_at"),
        row.integer("failures"),
        Json.toMap(row.textOrNull("labels")),
        row.textOrNull("traceparent"),
        runOrNull(row, "handler_for_run_id"),
        runOrNull(row, "parent_run_id"),
        row.textOrNull("parent_step_key"),
        firingOrNull(row),
        runOrNull(row, "continued_from_run_id"),
        row.instant("created_at"),
        Rows.stopOrNull(row),
        row.bool("first_claim"));
  }

  private static StartRequest.@Nullable Firing firingOrNull(Row row) {
    RunId schedule = runOrNull(row, "schedule_group_id");
    Instant fireAt = row.instantOrNull("fire_at");
    return schedule == null || fireAt == null ? null : new StartRequest.Firing(schedule, fireAt);
  }

  private static @Nullable RunId runOrNull(Row row, String column) {
    UUID value = row.uuidOrNull(column);
    return value == null ? null : new RunId(value);
  }

  private static final String INPUTS =
      """
      SELECT a.run_id, p.input, p.input_metadata
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT input, input_metadata FROM kagzi.workflow_payloads WHERE run_id = a.run_id) p
      """;

  public Map<RunId, Payload> inputs(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, Payload> inputs = new HashMap<>();
    tx.query(INPUTS)
        .uuids("runIds", runIds, RunId::value)
        .list(row ->
            Map.entry(
                new RunId(row.uuid("run_id")),
                new Payload(row.bytes("input"), Json.toMap(row.textOrNull("input_metadata")))))
        .forEach(entry -> inputs.put(entry.getKey(), entry.getValue()));
    return inputs;
  }

  private static final String OUTLOOK =
      """
      SELECT served.workflow_type, served.version, oldest.available_at AS oldest_at,
             next.available_at AS next_at
      FROM unnest(:types::text[], :versions::text[], :floors::timestamptz[])
        AS served(workflow_type, version, floor)
      LEFT JOIN LATERAL (
        SELECT available_at
        FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace
          AND task_queue = :taskQueue
          AND workflow_type = served.workflow_type
          AND version = served.version
          AND status IN ('PENDING', 'SLEEPING')
          AND available_at >= served.floor
        ORDER BY available_at
        LIMIT 1) oldest ON true
      LEFT JOIN LATERAL (
        SELECT available_at
        FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace
          AND task_queue = :taskQueue
          AND workflow_type = served.workflow_type
          AND version = served.version
          AND status IN ('PENDING', 'SLEEPING')
          AND available_at > :now
        ORDER BY available_at
        LIMIT 1) next ON true
      """;

  /**
   * What is left of a type after a claim.
   *
   * @param oldest the earliest due time of all, past or future; a past one is in somebody's hand
   * @param next the earliest due time after now
   */
  public record Outlook(TypeVersion type, @Nullable Instant oldest, @Nullable Instant next) {}

  public List<Outlook> outlook(Transaction tx, QueueKey queue, List<Scan> scans, Instant now) {
    return tx.query(OUTLOOK)
        .set("namespace", queue.namespace())
        .set("taskQueue", queue.taskQueue())
        .texts("types", scans, scan -> scan.type().workflowType())
        .texts("versions", scans, scan -> scan.type().version())
        .instants("floors", scans, Scan::floor)
        .set("now", now)
        .list(row ->
            new Outlook(
                new TypeVersion(row.text("workflow_type"), row.text("version")),
                row.instantOrNull("oldest_at"),
                row.instantOrNull("next_at")));
  }

  /** A type that somebody waits for in a queue. */
  public record Watched(QueueKey queue, Scan scan) {}

  private static final String DUE_QUEUES =
      """
      SELECT w.namespace_id, w.task_queue, min(d.available_at) AS due_at
      FROM unnest(:namespaces::text[], :taskQueues::text[], :types::text[], :versions::text[],
                  :floors::timestamptz[])
        AS w(namespace_id, task_queue, workflow_type, version, floor)
      CROSS JOIN LATERAL (
        SELECT available_at
        FROM kagzi.workflow_runs
        WHERE namespace_id = w.namespace_id
          AND task_queue = w.task_queue
          AND workflow_type = w.workflow_type
          AND version = w.version
          AND status IN ('PENDING', 'SLEEPING')
          AND available_at >= w.floor
        ORDER BY available_at
        LIMIT 1) d
      GROUP BY w.namespace_id, w.task_queue
      """;

  /**
   * The earliest due time of every watched queue that has work at all; one query for all of them.
   */
  public Map<QueueKey, Instant> dueQueues(Transaction tx, List<Watched> watched) {
    Map<QueueKey, Instant> due = new HashMap<>();
    tx.query(DUE_QUEUES)
        .texts("namespaces", watched, w -> w.queue().namespace())
        .texts("taskQueues", watched, w -> w.queue().taskQueue())
        .texts("types", watched, w -> w.scan().type().workflowType())
        .texts("versions", watched, w -> w.scan().type().version())
        .instants("floors", watched, w -> w.scan().floor())
        .list(row ->
            Map.entry(
                new QueueKey(row.text("namespace_id"), row.text("task_queue")),
                row.instant("due_at")))
        .forEach(entry -> due.put(entry.getKey(), entry.getValue()));
    return due;
  }
}
