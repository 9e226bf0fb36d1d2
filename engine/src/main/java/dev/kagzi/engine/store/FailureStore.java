package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Failed attempts at steps. */
public final class FailureStore {

  /**
   * A failure about to be recorded.
   *
   * @param retryAt when the next attempt may begin; null if this one settles the step
   */
  public record Report(
      Fence fence, WorkerId worker, StepFailure failure, @Nullable Instant retryAt) {

    public Step step() {
      return new Step(fence.runId(), failure.stepKey());
    }
  }

  private static final String COUNT =
      """
      SELECT a.run_id, a.step_key, s.failures
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      CROSS JOIN LATERAL (
        SELECT count(*)::int4 AS failures FROM kagzi.step_runs
        WHERE run_id = a.run_id AND step_key = a.step_key
          AND status = 'FAILED' AND superseded_at IS NULL) s
      """;

  /** How often each step has failed so far. */
  public Map<Step, Integer> count(Transaction tx, Collection<Step> steps) {
    Map<Step, Integer> failures = new HashMap<>();
    tx.query(COUNT)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, Step::stepKey)
        .list(row ->
            Map.entry(
                new Step(new RunId(row.uuid("run_id")), row.text("step_key")),
                row.integer("failures")))
        .forEach(entry -> failures.put(entry.getKey(), entry.getValue()));
    return failures;
  }

  /** Fenced and write-once, like a result; settled only if there will be no further attempt. */
  private static final String INSERT =
      """
      WITH reported AS (
        SELECT * FROM unnest(
          :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :attempts::int4[],
          :seqs::int4[], :kinds::text[], :errors::text[], :policies::text[],
          :retryAt::timestamptz[], :startedAt::timestamptz[], :groups::text[], :parents::text[],
          :quiet::bool[], :compensations::bool[], :inputs::bytea[], :inputMetadata::text[])
        AS r(run_id, lease_epoch, worker_id, step_key, attempt, seq, kind, error, retry_policy,
             retry_at, started_at, parallel_group_id, parent_step_id, quiet, compensation,
             input, input_metadata)
      ), ended AS (
        DELETE FROM kagzi.running_steps s
        USING reported r
        WHERE s.run_id = r.run_id AND s.step_key = r.step_key AND s.lease_epoch <= r.lease_epoch
          AND s.run_id = ANY(:runIds::uuid[])
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, error,
        retry_policy, retry_at, parallel_group_id, parent_step_id, quiet, compensation,
        input, input_metadata, started_at, finished_at)
      SELECT r.run_id, r.step_key, r.attempt, r.seq, r.kind, 'FAILED', r.retry_at IS NULL,
             r.lease_epoch, r.worker_id, r.error::jsonb, r.retry_policy::jsonb, r.retry_at,
             r.parallel_group_id, r.parent_step_id, r.quiet, r.compensation, r.input,
             r.input_metadata::jsonb, r.started_at, :now
      FROM reported r
      CROSS JOIN LATERAL (
        SELECT 1 FROM kagzi.workflow_runs w
        WHERE w.run_id = r.run_id AND w.lease_epoch = r.lease_epoch AND w.status = 'RUNNING'
        LIMIT 1) held
      WHERE NOT EXISTS (
        SELECT 1 FROM kagzi.step_runs s
        WHERE s.run_id = r.run_id AND s.step_key = r.step_key
          AND s.settled AND s.superseded_at IS NULL)
      ON CONFLICT DO NOTHING
      RETURNING run_id, step_key
      """;

  /** Records failures and says which of them were. */
  public Set<Step> insert(Transaction tx, List<Report> reports, Instant now) {
    return new HashSet<>(
        tx.query(INSERT)
            .set("now", now)
            .uuids("runIds", reports, report -> report.fence().runId().value())
            .ints("epochs", reports, report -> report.fence().epoch())
            .uuids("workers", reports, report -> report.worker().value())
            .texts("stepKeys", reports, report -> report.failure().stepKey())
            .ints("attempts", reports, report -> report.failure().attempt())
            .ints("seqs", reports, report -> report.failure().seq())
            .texts("kinds", reports, report -> report.failure().kind().name())
            .texts("errors", reports, report -> Json.ofFailure(report.failure().error()))
            .texts("policies", reports, report -> Json.ofPolicy(report.failure().policy()))
            .instants("retryAt", reports, Report::retryAt)
            .instants("startedAt", reports, report -> report.failure().startedAt())
            .texts("groups", reports, report -> report.failure().traits().parallelGroup())
            .texts("parents", reports, report -> report.failure().traits().parentStep())
            .booleans("quiet", reports, report -> report.failure().traits().quiet())
            .booleans("compensations", reports, report -> report.failure().traits().compensation())
            .byteArrays("inputs", reports, report -> report.failure().traits().inputData())
            .texts(
                "inputMetadata",
                reports,
                report -> Json.ofMap(report.failure().traits().inputMetadata()))
            .list(row -> new Step(new RunId(row.uuid("run_id")), row.text("step_key"))));
  }

  private static final String FIND_LATEST =
      """
      SELECT a.run_id, %s
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      CROSS JOIN LATERAL (
        SELECT * FROM kagzi.step_runs
        WHERE run_id = a.run_id AND step_key = a.step_key AND superseded_at IS NULL
        ORDER BY settled DESC, attempt DESC
        LIMIT 1) s
      """
          .formatted(StepStore.RECORDED_COLUMNS);

  /** The newest recorded attempt of each step, the settled one if there is one. */
  public Map<Step, RecordedStep> findLatest(Transaction tx, Collection<Step> steps) {
    return StepStore.bySteps(
        tx.query(FIND_LATEST)
            .uuids("runIds", steps, step -> step.runId().value())
            .texts("stepKeys", steps, Step::stepKey)
            .list(row -> Map.entry(new RunId(row.uuid("run_id")), StepStore.readRecorded(row))));
  }
}
