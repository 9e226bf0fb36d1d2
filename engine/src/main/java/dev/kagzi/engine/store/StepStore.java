package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Step attempts: recording their ends, announcing their beginnings, reading histories. */
public final class StepStore {

  /** A step of a run. */
  public record Step(RunId runId, String stepKey) {}

  /** A result about to be recorded. */
  public record Report(Fence fence, WorkerId worker, StepResult result) {
    Step step() {
      return new Step(fence.runId(), result.stepKey());
    }
  }

  /**
   * Fenced and write-once: the row is born only if the run is held under the reported epoch and the
   * step is not settled. What was announced as running is no longer.
   */
  private static final String INSERT_SETTLED =
      """
      WITH reported AS (
        SELECT * FROM unnest(
          :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :attempts::int4[],
          :seqs::int4[], :kinds::text[], :outputs::bytea[], :outputMetadata::text[],
          :startedAt::timestamptz[])
        AS r(run_id, lease_epoch, worker_id, step_key, attempt, seq, kind, output, output_metadata,
             started_at)
      ), ended AS (
        DELETE FROM kagzi.running_steps s
        USING reported r
        WHERE s.run_id = r.run_id AND s.step_key = r.step_key AND s.lease_epoch <= r.lease_epoch
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, output,
        output_metadata, started_at, finished_at)
      SELECT r.run_id, r.step_key, r.attempt, r.seq, r.kind, 'COMPLETED', true, r.lease_epoch,
             r.worker_id, r.output, r.output_metadata::jsonb, r.started_at, :now
      FROM reported r
      JOIN kagzi.workflow_runs w
        ON w.run_id = r.run_id AND w.lease_epoch = r.lease_epoch AND w.status = 'RUNNING'
      ON CONFLICT DO NOTHING
      RETURNING run_id, step_key
      """;

  /** Records results and says which of them were. */
  public Set<Step> insertSettled(Transaction tx, List<Report> reports, Instant now) {
    return new HashSet<>(
        tx.query(INSERT_SETTLED)
            .set("now", now)
            .uuids("runIds", reports, report -> report.fence().runId().value())
            .ints("epochs", reports, report -> report.fence().epoch())
            .uuids("workers", reports, report -> report.worker().value())
            .texts("stepKeys", reports, report -> report.result().stepKey())
            .ints("attempts", reports, report -> report.result().attempt())
            .ints("seqs", reports, report -> report.result().seq())
            .texts("kinds", reports, report -> report.result().kind().name())
            .byteArrays("outputs", reports, report -> report.result().output().data())
            .texts(
                "outputMetadata",
                reports,
                report -> Json.ofMap(report.result().output().metadata()))
            .instants("startedAt", reports, report -> report.result().startedAt())
            .list(row -> new Step(new RunId(row.uuid("run_id")), row.text("step_key"))));
  }

  private static final String FIND_SETTLED =
      """
      SELECT a.run_id, s.step_key, s.seq, s.kind, s.status, s.settled, s.attempt, s.lease_epoch,
             s.output, s.output_metadata, s.error, s.wake_at, s.retry_at, s.finished_at,
             0 AS failures, false AS begun
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      CROSS JOIN LATERAL (
        SELECT * FROM kagzi.step_runs
        WHERE run_id = a.run_id AND step_key = a.step_key
          AND settled AND superseded_at IS NULL) s
      """;

  public Map<Step, RecordedStep> findSettled(Transaction tx, Collection<Step> steps) {
    return bySteps(
        tx.query(FIND_SETTLED)
            .uuids("runIds", steps, step -> step.runId().value())
            .texts("stepKeys", steps, Step::stepKey)
            .list(row -> Map.entry(new RunId(row.uuid("run_id")), readRecorded(row))));
  }

  static Map<Step, RecordedStep> bySteps(List<Map.Entry<RunId, RecordedStep>> rows) {
    Map<Step, RecordedStep> found = new HashMap<>();
    rows.forEach(
        row -> found.put(new Step(row.getKey(), row.getValue().stepKey()), row.getValue()));
    return found;
  }

  /** An attempt about to be announced. */
  public record Beginning(
      Fence fence,
      WorkerId worker,
      String stepKey,
      int attempt,
      int seq,
      StepKind kind,
      boolean atMostOnce,
      @Nullable Duration timeout) {}

  /** A late announcement of an attempt that has ended in the meantime is dropped. */
  private static final String INSERT_RUNNING =
      """
      INSERT INTO kagzi.running_steps (
        run_id, step_key, attempt, seq, kind, lease_epoch, worker_id, at_most_once, started_at,
        timeout_at)
      SELECT b.run_id, b.step_key, b.attempt, b.seq, b.kind, b.lease_epoch, b.worker_id,
             b.at_most_once, :now, :now + b.timeout * interval '1 millisecond'
      FROM unnest(
        :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :attempts::int4[],
        :seqs::int4[], :kinds::text[], :atMostOnce::bool[], :timeouts::int8[])
      AS b(run_id, lease_epoch, worker_id, step_key, attempt, seq, kind, at_most_once, timeout)
      JOIN kagzi.workflow_runs w
        ON w.run_id = b.run_id AND w.lease_epoch = b.lease_epoch AND w.status = 'RUNNING'
      WHERE NOT EXISTS (
        SELECT 1 FROM kagzi.step_runs s
        WHERE s.run_id = b.run_id AND s.step_key = b.step_key AND s.superseded_at IS NULL
          AND (s.settled OR s.attempt >= b.attempt))
      ON CONFLICT (run_id, step_key) DO UPDATE
        SET attempt = EXCLUDED.attempt, lease_epoch = EXCLUDED.lease_epoch,
            worker_id = EXCLUDED.worker_id, started_at = EXCLUDED.started_at,
            timeout_at = EXCLUDED.timeout_at
        WHERE running_steps.lease_epoch < EXCLUDED.lease_epoch
           OR running_steps.attempt < EXCLUDED.attempt
      """;

  public void insertRunning(Transaction tx, List<Beginning> beginnings, Instant now) {
    tx.query(INSERT_RUNNING)
        .set("now", now)
        .uuids("runIds", beginnings, begun -> begun.fence().runId().value())
        .ints("epochs", beginnings, begun -> begun.fence().epoch())
        .uuids("workers", beginnings, begun -> begun.worker().value())
        .texts("stepKeys", beginnings, Beginning::stepKey)
        .ints("attempts", beginnings, Beginning::attempt)
        .ints("seqs", beginnings, Beginning::seq)
        .texts("kinds", beginnings, begun -> begun.kind().name())
        .booleans("atMostOnce", beginnings, Beginning::atMostOnce)
        .longs(
            "timeouts",
            beginnings,
            begun -> {
              Duration timeout = begun.timeout();
              return timeout == null ? null : timeout.toMillis();
            })
        .update();
  }

  /**
   * Attempts that were running when their worker lost the run end here: INTERRUPTED, numbered, and
   * free of charge.
   */
  private static final String INTERRUPT =
      """
      WITH lost AS (
        DELETE FROM kagzi.running_steps
        WHERE run_id = ANY(:runIds::uuid[])
        RETURNING *
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, started_at,
        finished_at)
      SELECT run_id, step_key, attempt, seq, kind, 'INTERRUPTED', false, lease_epoch, worker_id,
             started_at, :now
      FROM lost
      ON CONFLICT DO NOTHING
      """;

  public void interrupt(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(INTERRUPT).set("now", now).uuids("runIds", runIds, RunId::value).update();
  }

  static RecordedStep readRecorded(Row row) {
    String status = row.textOrNull("status");
    return new RecordedStep(
        row.text("step_key"),
        row.integer("seq"),
        StepKind.valueOf(row.text("kind")),
        status == null ? null : StepStatus.valueOf(status),
        row.bool("settled"),
        row.integer("attempt"),
        row.integer("failures"),
        row.bool("begun"),
        row.integer("lease_epoch"),
        Json.toPayload(row.bytesOrNull("output"), row.textOrNull("output_metadata")),
        Json.toFailure(row.textOrNull("error")),
        row.instantOrNull("wake_at"),
        row.instantOrNull("retry_at"),
        row.instantOrNull("finished_at"));
  }
}
