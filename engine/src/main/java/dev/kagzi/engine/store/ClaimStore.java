package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
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
import java.util.Optional;
import java.util.UUID;

/** Claiming due runs for workers that wait. */
public final class ClaimStore {

  /**
   * One statement claims a run for each free slot. LATERAL per (type, version) keeps due runs that
   * nobody here serves out of the scan; MATERIALIZED keeps the planner from evaluating the LIMIT
   * more than once; SKIP LOCKED keeps claimers out of each other's way. The n-th run goes to the
   * n-th slot of a worker that is online. A run past its deadline is left to the deadline loop.
   */
  private static final String CLAIM =
      """
      WITH slots AS MATERIALIZED (
        SELECT asked.worker_id, row_number() OVER (ORDER BY asked.turn) AS slot
        FROM unnest(:slots::uuid[]) WITH ORDINALITY AS asked(worker_id, turn)
        JOIN kagzi.workers w ON w.worker_id = asked.worker_id AND w.status = 'ONLINE'
      ), due AS MATERIALIZED (
        SELECT d.run_id, row_number() OVER (ORDER BY d.available_at) AS slot
        FROM unnest(:types::text[], :versions::text[]) AS served(workflow_type, version)
        CROSS JOIN LATERAL (
          SELECT run_id, available_at
          FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace
            AND task_queue = :taskQueue
            AND workflow_type = served.workflow_type
            AND version = served.version
            AND status IN ('PENDING', 'SLEEPING')
            AND available_at <= :now
            AND (deadline_at IS NULL OR deadline_at > :now)
          ORDER BY available_at
          LIMIT (SELECT count(*) FROM slots)
          FOR UPDATE SKIP LOCKED) d
        ORDER BY d.available_at
        LIMIT (SELECT count(*) FROM slots)
      )
      UPDATE kagzi.workflow_runs r
      SET status = 'RUNNING', wait_reason = NULL, available_at = NULL,
          lease_until = :now + COALESCE(r.lease_duration, :leaseMillis * interval '1 millisecond'),
          locked_by = s.worker_id, claim_id = :claimId, lease_epoch = r.lease_epoch + 1,
          started_at = COALESCE(r.started_at, :now)
      FROM due
      JOIN slots s ON s.slot = due.slot
      WHERE r.run_id = due.run_id
      RETURNING %s
      """
          .formatted(claimColumns("r"));

  private static final String FIND_CLAIMED =
      "SELECT %s FROM kagzi.workflow_runs r WHERE r.claim_id = :claimId AND r.status = 'RUNNING'"
          .formatted(claimColumns("r"));

  private static String claimColumns(String row) {
    return """
    %1$s.run_id, %1$s.namespace_id, %1$s.task_queue, %1$s.workflow_type, %1$s.version,
    %1$s.lease_epoch, %1$s.locked_by, %1$s.lease_until, %1$s.external_id, %1$s.retry_policy,
    extract(epoch FROM %1$s.step_timeout) * 1000 AS step_timeout_ms,
    extract(epoch FROM %1$s.lease_duration) * 1000 AS lease_duration_ms,
    extract(epoch FROM %1$s.execution_timeout) * 1000 AS execution_timeout_ms,
    %1$s.on_failure_workflow, %1$s.on_failure_task_queue, %1$s.deadline_at, %1$s.failures,
    %1$s.labels, %1$s.traceparent,
    (%1$s.lease_epoch = 1 AND %1$s.forked_from_run_id IS NULL) AS first_claim\
    """
        .formatted(row);
  }

  /**
   * Who asks, in which queue, for which types.
   *
   * @param slots a worker's id once for each run it can take
   */
  public record Demand(
      QueueKey queue,
      List<TypeVersion> types,
      List<WorkerId> slots,
      UUID claimId,
      Duration lease) {}

  public List<Task.Claim> claim(Transaction tx, Demand demand, Instant now) {
    return tx.query(CLAIM)
        .set("namespace", demand.queue().namespace())
        .set("taskQueue", demand.queue().taskQueue())
        .texts("types", demand.types(), TypeVersion::workflowType)
        .texts("versions", demand.types(), TypeVersion::version)
        .uuids("slots", demand.slots(), WorkerId::value)
        .set("claimId", demand.claimId())
        .set("leaseMillis", demand.lease().toMillis())
        .set("now", now)
        .list(ClaimStore::readClaim);
  }

  /** What a claim took, when the reply to its commit was lost. */
  public List<Task.Claim> findClaimed(Transaction tx, UUID claimId) {
    return tx.query(FIND_CLAIMED).set("claimId", claimId).list(ClaimStore::readClaim);
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
        row.bool("first_claim"));
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

  private static final String NEXT_DUE =
      """
      SELECT min(d.available_at) AS next_due
      FROM unnest(:types::text[], :versions::text[]) AS served(workflow_type, version)
      CROSS JOIN LATERAL (
        SELECT available_at
        FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace
          AND task_queue = :taskQueue
          AND workflow_type = served.workflow_type
          AND version = served.version
          AND status IN ('PENDING', 'SLEEPING')
          AND available_at > :now
        ORDER BY available_at
        LIMIT 1) d
      """;

  /** When the next run of these types becomes due, after now. */
  public Optional<Instant> nextDue(
      Transaction tx, QueueKey queue, List<TypeVersion> types, Instant now) {
    return tx.query(NEXT_DUE)
        .set("namespace", queue.namespace())
        .set("taskQueue", queue.taskQueue())
        .texts("types", types, TypeVersion::workflowType)
        .texts("versions", types, TypeVersion::version)
        .set("now", now)
        .only(row -> Optional.ofNullable(row.instantOrNull("next_due")));
  }

  /** A type that somebody waits for in a queue. */
  public record Watched(QueueKey queue, TypeVersion type) {}

  private static final String DUE_QUEUES =
      """
      SELECT w.namespace_id, w.task_queue, min(d.available_at) AS due_at
      FROM unnest(:namespaces::text[], :taskQueues::text[], :types::text[], :versions::text[])
        AS w(namespace_id, task_queue, workflow_type, version)
      CROSS JOIN LATERAL (
        SELECT available_at
        FROM kagzi.workflow_runs
        WHERE namespace_id = w.namespace_id
          AND task_queue = w.task_queue
          AND workflow_type = w.workflow_type
          AND version = w.version
          AND status IN ('PENDING', 'SLEEPING')
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
        .texts("types", watched, w -> w.type().workflowType())
        .texts("versions", watched, w -> w.type().version())
        .list(row ->
            Map.entry(
                new QueueKey(row.text("namespace_id"), row.text("task_queue")),
                row.instant("due_at")))
        .forEach(entry -> due.put(entry.getKey(), entry.getValue()));
    return due;
  }
}
