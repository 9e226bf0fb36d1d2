package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** New runs made from old ones. */
public final class ForkStore {

  /** What a fork has from its origin; it is nobody's child and of no schedule. */
  private static final String INHERITED =
      """
      namespace_id, workflow_type, retry_policy, step_timeout, lease_duration, execution_timeout,
      on_failure_workflow, on_failure_task_queue, handler_for_run_id, labels, traceparent\
      """;

  /**
   * Like a start: a run id that was used before conflicts with the live row, or with the payload of
   * a run that has ended; then the live row is undone by the caller.
   */
  private static final String INSERT =
      """
      WITH origin AS (
        SELECT %1$s, task_queue, version, created_at, deadline_at
        FROM kagzi.workflow_runs
        WHERE run_id = :origin AND namespace_id = :namespace
          AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
        UNION ALL
        SELECT %1$s, task_queue, version, created_at, deadline_at
        FROM kagzi.finished_runs
        WHERE run_id = :origin AND namespace_id = :namespace
      ), fork AS (
        INSERT INTO kagzi.workflow_runs (
          %1$s, run_id, external_id, task_queue, version, status, available_at, deadline_at,
          forked_from_run_id, created_at)
        SELECT %1$s, :runId::uuid, :externalId::text, COALESCE(:taskQueue::text, task_queue),
               COALESCE(:version::text, version), 'PENDING', :now, %2$s, :origin::uuid, :now
        FROM origin
        ON CONFLICT DO NOTHING
        RETURNING run_id, namespace_id, task_queue, workflow_type, version
      ), payload AS (
        INSERT INTO kagzi.workflow_payloads (run_id, input, input_metadata)
        SELECT fork.run_id, COALESCE(:input::bytea, p.input),
               CASE WHEN :input::bytea IS NULL THEN p.input_metadata
                    ELSE :inputMetadata::jsonb END
        FROM fork JOIN kagzi.workflow_payloads p ON p.run_id = :origin
        ON CONFLICT DO NOTHING
        RETURNING run_id
      )
      SELECT fork.namespace_id, fork.task_queue, fork.workflow_type, fork.version,
             payload.run_id IS NOT NULL AS is_new
      FROM fork LEFT JOIN payload USING (run_id)
      """
          .formatted(INHERITED, RetryStore.DEADLINE_ANEW);

  /** What {@link #insert} wrote. */
  public record Inserted(RunTarget target, boolean isNew) {}

  /** Writes the new run; empty if its id or its external id is taken, or the origin is gone. */
  public Optional<Inserted> insert(Transaction tx, ForkRequest request, RunId runId, Instant now) {
    ForkRequest.Changes changes = request.changes();
    Payload input = changes.input();
    return tx.query(INSERT)
        .set("runId", runId.value())
        .set("origin", request.origin().value())
        .set("namespace", request.namespace())
        .set("externalId", changes.externalId())
        .set("taskQueue", changes.taskQueue())
        .set("version", changes.version())
        .set("input", input == null ? null : input.data())
        .set("inputMetadata", input == null ? null : Json.ofMap(input.metadata()))
        .set("now", now)
        .first(row -> new Inserted(Rows.target(row), row.bool("is_new")));
  }

  /** Every step that a run has begun, the superseded ones last. */
  private static final String STEPS =
      """
      (SELECT step_key, seq, superseded_at IS NULL AS is_current FROM kagzi.step_runs
       WHERE run_id = :runId
       UNION ALL
       SELECT step_key, seq, true FROM kagzi.running_steps WHERE run_id = :runId
       UNION ALL
       SELECT step_key, seq, true FROM kagzi.run_waits WHERE run_id = :runId)\
      """;

  private static final String FIND_SEQ =
      """
      SELECT seq FROM %s AS steps
      WHERE step_key = :stepKey
      ORDER BY is_current DESC, seq
      LIMIT 1
      """
          .formatted(STEPS);

  /** The place of a step in the call order of a run; empty if the run never came to it. */
  public Optional<Integer> findSeq(Transaction tx, RunId runId, String stepKey) {
    return tx.query(FIND_SEQ)
        .set("runId", runId.value())
        .set("stepKey", stepKey)
        .first(row -> row.integer("seq"));
  }

  private static final String STEP_KEYS =
      """
      SELECT step_key FROM %s AS steps
      GROUP BY step_key
      ORDER BY min(seq), step_key
      LIMIT :limit
      """
          .formatted(STEPS);

  /** The first steps of a run, in call order. */
  public List<String> stepKeys(Transaction tx, RunId runId, int limit) {
    return tx.query(STEP_KEYS)
        .set("runId", runId.value())
        .set("limit", limit)
        .list(row -> row.text("step_key"));
  }

  private static final String COPIED =
      """
      step_key, attempt, seq, kind, status, settled, worker_id, input, input_metadata, output,
      output_metadata, error, retry_policy, wake_at, timeout_at, timed_out, event_name,
      child_run_id, parallel_group_id, parent_step_id, compensation, quiet, saga_change,
      started_at, finished_at\
      """;

  /**
   * No claim ever has the epoch 0: it marks what the run did not do itself. What the origin's end
   * has cut off is no result, and the fork does it.
   */
  private static final String COPY_STEPS =
      """
      INSERT INTO kagzi.step_runs (run_id, lease_epoch, %1$s)
      SELECT :runId::uuid, 0, %1$s
      FROM kagzi.step_runs
      WHERE run_id = :origin AND settled AND superseded_at IS NULL AND seq < :beforeSeq
        AND (status = 'CANCELLED' AND finished_at >= (
          SELECT finished_at FROM kagzi.finished_runs WHERE run_id = :origin)) IS NOT TRUE
      """
          .formatted(COPIED);

  /** Copies the settled steps before a place; returns how many. */
  public int copySteps(Transaction tx, RunId origin, RunId runId, int beforeSeq) {
    return tx.query(COPY_STEPS)
        .set("origin", origin.value())
        .set("runId", runId.value())
        .set("beforeSeq", beforeSeq)
        .update();
  }

  private static final String COUNT_COPIED =
      """
      SELECT count(*)::int4 AS copied FROM kagzi.step_runs
      WHERE run_id = :runId AND lease_epoch = 0
      """;

  /** How many steps a fork was given. */
  public int countCopied(Transaction tx, RunId runId) {
    return tx.query(COUNT_COPIED).set("runId", runId.value()).only(row -> row.integer("copied"));
  }
}
