package dev.kagzi.engine.store;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.StepWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.DatabaseException;
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
import java.util.UUID;
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
   * What was announced as running is no longer. The fence was looked at when the run was locked,
   * and holds as long as the lock: a second look here would cost more than the row.
   */
  private static final String INSERT_SETTLED =
      """
      WITH reported AS (
        SELECT * FROM unnest(
          :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :attempts::int4[],
          :seqs::int4[], :kinds::text[], :outputs::bytea[], :outputMetadata::text[],
          :startedAt::timestamptz[], :groups::text[], :parents::text[], :quiet::bool[],
          :compensations::bool[], :sagaChanges::int4[], :inputs::bytea[],
          :inputMetadata::text[])
        AS r(run_id, lease_epoch, worker_id, step_key, attempt, seq, kind, output, output_metadata,
             started_at, parallel_group_id, parent_step_id, quiet, compensation, saga_change,
             input, input_metadata)
      ), ended AS (
        DELETE FROM kagzi.running_steps s
        USING reported r
        WHERE s.run_id = r.run_id AND s.step_key = r.step_key AND s.lease_epoch <= r.lease_epoch
          AND s.run_id = ANY(:runIds::uuid[])
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, output,
        output_metadata, parallel_group_id, parent_step_id, quiet, compensation, saga_change,
        input, input_metadata, started_at, finished_at)
      SELECT r.run_id, r.step_key, r.attempt, r.seq, r.kind, 'COMPLETED', true, r.lease_epoch,
             r.worker_id, r.output, r.output_metadata::jsonb, r.parallel_group_id,
             r.parent_step_id, r.quiet, r.compensation, r.saga_change, r.input,
             r.input_metadata::jsonb, r.started_at, :now
      FROM reported r
      %s
      RETURNING run_id, step_key
      """;

  private static final String INSERT_NEW_SETTLED = INSERT_SETTLED.formatted("");

  private static final String INSERT_SETTLED_ONCE =
      INSERT_SETTLED.formatted("ON CONFLICT DO NOTHING");

  /**
   * Records results of runs that the caller holds under their fences; says which were recorded.
   *
   * @param expectNew whether to trust that none was recorded before, which is nearly always so and
   *     halves the work: the transaction fails with {@link DatabaseException#isDuplicate} if it was
   */
  public Set<Step> insertSettled(
      Transaction tx, List<Report> reports, boolean expectNew, Instant now) {
    return new HashSet<>(
        tx.query(expectNew ? INSERT_NEW_SETTLED : INSERT_SETTLED_ONCE)
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
            .texts("groups", reports, report -> report.result().traits().parallelGroup())
            .texts("parents", reports, report -> report.result().traits().parentStep())
            .booleans("quiet", reports, report -> report.result().traits().quiet())
            .booleans("compensations", reports, report -> report.result().traits().compensation())
            .ints("sagaChanges", reports, report -> report.result().saga().change())
            .byteArrays("inputs", reports, report -> report.result().traits().inputData())
            .texts(
                "inputMetadata",
                reports,
                report -> Json.ofMap(report.result().traits().inputMetadata()))
            .list(row -> new Step(new RunId(row.uuid("run_id")), row.text("step_key"))));
  }

  private static final String CHANGE_SAGAS =
      """
      UPDATE kagzi.workflow_runs r
      SET open_sagas = GREATEST(0, r.open_sagas + a.change)
      FROM unnest(:runIds::uuid[], :changes::int4[]) AS a(run_id, change)
      WHERE r.run_id = a.run_id AND r.run_id = ANY(:runIds::uuid[])
      RETURNING r.run_id, r.open_sagas
      """;

  private record Open(RunId runId, int sagas) {}

  /**
   * Counts the sagas that runs have entered or left, and says in how many they are now; the caller
   * holds the locks.
   */
  public Map<RunId, Integer> changeSagas(Transaction tx, Map<RunId, Integer> changes) {
    List<RunId> runIds = List.copyOf(changes.keySet());
    Map<RunId, Integer> open = new HashMap<>();
    tx.query(CHANGE_SAGAS)
        .uuids("runIds", runIds, RunId::value)
        .ints("changes", runIds, changes::get)
        .list(row -> new Open(new RunId(row.uuid("run_id")), row.integer("open_sagas")))
        .forEach(run -> open.put(run.runId(), run.sagas()));
    return open;
  }

  private static final String RECOUNT_SAGAS =
      """
      UPDATE kagzi.workflow_runs r
      SET open_sagas = s.open
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT GREATEST(0, COALESCE(sum(saga_change), 0))::int4 AS open FROM kagzi.step_runs
        WHERE run_id = a.run_id AND settled AND superseded_at IS NULL) s
      WHERE r.run_id = a.run_id AND r.open_sagas <> s.open AND r.run_id = ANY(:runIds::uuid[])
      """;

  /** Counts the open sagas of runs whose history has changed behind them; they are ours alone. */
  public void recountSagas(Transaction tx, Collection<RunId> runIds) {
    tx.query(RECOUNT_SAGAS).uuids("runIds", runIds, RunId::value).update();
  }

  /** What {@link #readRecorded} reads of an attempt named s. */
  static final String RECORDED_COLUMNS =
      """
      s.step_key, s.seq, s.kind, s.status, s.settled, s.attempt, s.lease_epoch, s.output,
      s.output_metadata, s.error, s.wake_at, s.retry_at, s.finished_at, 0 AS failures,
      false AS begun, false AS waiting, s.timeout_at, s.timed_out, s.event_name, s.child_run_id,
      s.parallel_group_id, s.parent_step_id\
      """;

  private static final String FIND_SETTLED =
      """
      SELECT a.run_id, %s
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      CROSS JOIN LATERAL (
        SELECT * FROM kagzi.step_runs
        WHERE run_id = a.run_id AND step_key = a.step_key
          AND settled AND superseded_at IS NULL) s
      """
          .formatted(RECORDED_COLUMNS);

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

  /** By the index of settled steps alone, and no further than it must. */
  private static final String FIND_LONGER =
      """
      SELECT a.run_id
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
          SELECT 1 FROM kagzi.step_runs
          WHERE run_id = a.run_id AND settled AND superseded_at IS NULL
          LIMIT :rows) AS found) AS counted
      WHERE counted.n >= :rows
      """;

  /** Which runs have so many settled steps or more. */
  public List<RunId> findLongerThan(Transaction tx, Collection<RunId> runIds, int rows) {
    return tx.query(FIND_LONGER)
        .uuids("runIds", runIds, RunId::value)
        .set("rows", rows)
        .list(row -> new RunId(row.uuid("run_id")));
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
      @Nullable Duration timeout,
      @Nullable RetryPolicy policy,
      StepTraits traits) {

    Step step() {
      return new Step(fence.runId(), stepKey);
    }
  }

  /** A late announcement of an attempt that has ended in the meantime is dropped. */
  private static final String INSERT_RUNNING =
      """
      INSERT INTO kagzi.running_steps (
        run_id, step_key, attempt, seq, kind, lease_epoch, worker_id, at_most_once, retry_policy,
        parallel_group_id, parent_step_id, quiet, compensation, started_at, timeout_at)
      SELECT b.run_id, b.step_key, b.attempt, b.seq, b.kind, b.lease_epoch, b.worker_id,
             b.at_most_once, b.retry_policy::jsonb, b.parallel_group_id, b.parent_step_id, b.quiet,
             b.compensation, :now, :now + b.timeout * interval '1 millisecond'
      FROM unnest(
        :runIds::uuid[], :epochs::int4[], :workers::uuid[], :stepKeys::text[], :attempts::int4[],
        :seqs::int4[], :kinds::text[], :atMostOnce::bool[], :timeouts::int8[], :policies::text[],
        :groups::text[], :parents::text[], :quiet::bool[], :compensations::bool[])
      AS b(run_id, lease_epoch, worker_id, step_key, attempt, seq, kind, at_most_once, timeout,
           retry_policy, parallel_group_id, parent_step_id, quiet, compensation)
      CROSS JOIN LATERAL (
        SELECT 1 FROM kagzi.workflow_runs w
        WHERE w.run_id = b.run_id AND w.lease_epoch = b.lease_epoch AND w.status = 'RUNNING'
        LIMIT 1) held
      WHERE NOT EXISTS (
        SELECT 1 FROM kagzi.step_runs s
        WHERE s.run_id = b.run_id AND s.step_key = b.step_key AND s.superseded_at IS NULL
          AND (s.settled OR s.attempt >= b.attempt))
      ON CONFLICT (run_id, step_key) DO UPDATE
        SET attempt = EXCLUDED.attempt, lease_epoch = EXCLUDED.lease_epoch,
            worker_id = EXCLUDED.worker_id, retry_policy = EXCLUDED.retry_policy,
            started_at = EXCLUDED.started_at, timeout_at = EXCLUDED.timeout_at
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
        .texts("policies", beginnings, begun -> Json.ofPolicy(begun.policy()))
        .texts("groups", beginnings, begun -> begun.traits().parallelGroup())
        .texts("parents", beginnings, begun -> begun.traits().parentStep())
        .booleans("quiet", beginnings, begun -> begun.traits().quiet())
        .booleans("compensations", beginnings, begun -> begun.traits().compensation())
        .update();
  }

  /**
   * Attempts that were running when their worker lost the run end here: INTERRUPTED, numbered, and
   * free of charge. A step that must not run twice fails for good instead: nobody knows how far it
   * came.
   */
  private static final String INTERRUPT =
      """
      WITH lost AS (
        DELETE FROM kagzi.running_steps
        WHERE run_id = ANY(:runIds::uuid[])
        RETURNING *
      )
      INSERT INTO kagzi.step_runs (
        run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, error,
        parallel_group_id, parent_step_id, quiet, compensation, started_at, finished_at)
      SELECT run_id, step_key, attempt, seq, kind,
             CASE WHEN at_most_once THEN 'FAILED' ELSE 'INTERRUPTED' END, at_most_once,
             lease_epoch, worker_id, CASE WHEN at_most_once THEN :error::jsonb END,
             parallel_group_id, parent_step_id, quiet, compensation, started_at, :now
      FROM lost
      ON CONFLICT DO NOTHING
      """;

  private static final Failure INTERRUPTED =
      new Failure(
          ErrorKind.INTERRUPTED,
          ErrorKind.INTERRUPTED.text(),
          List.of(),
          "its worker was lost while it ran, and it must not run twice",
          "",
          null);

  public void interrupt(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(INTERRUPT)
        .set("now", now)
        .set("error", Json.ofFailure(INTERRUPTED))
        .uuids("runIds", runIds, RunId::value)
        .update();
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
        row.instantOrNull("finished_at"),
        readWait(row),
        new StepTraits(
            row.textOrNull("parallel_group_id"), row.textOrNull("parent_step_id"), false, false));
  }

  private static StepWait readWait(Row row) {
    UUID child = row.uuidOrNull("child_run_id");
    return new StepWait(
        row.bool("waiting"),
        row.instantOrNull("timeout_at"),
        row.bool("timed_out"),
        row.textOrNull("event_name"),
        child == null ? null : new RunId(child));
  }
}
