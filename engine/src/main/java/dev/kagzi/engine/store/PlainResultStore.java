package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Results of steps and runs about which there is nothing special, sent as one query: locks, writes
 * and the ends that somebody waits for. What is special about a run is left alone, and so is what
 * its sender has lost; whoever asked has to ask in the usual way then.
 */
public final class PlainResultStore {

  /**
   * A result.
   *
   * @param worker who has it
   * @param step what a step returned; null if the run has ended
   * @param output what the run returned, if it has ended
   */
  public record Plain(
      Fence fence, @Nullable WorkerId worker, @Nullable StepResult step, @Nullable Payload output) {

    private <T> @Nullable T ofStep(Function<StepResult, @Nullable T> part) {
      return step == null ? null : part.apply(step);
    }
  }

  /**
   * A result that was written.
   *
   * @param index its place among those that were asked for
   * @param stop what its sender should hear
   */
  public record Written(int index, RunTarget run, Instant createdAt, @Nullable StopRequest stop) {}

  /**
   * What was written, and how runs ended that are awaited.
   *
   * @param ends of those runs that have ended by this or before
   */
  public record Outcome(List<Written> written, List<Run> ends) {}

  /** In one order, as everybody locks; what is written sees what was committed before the locks. */
  private static final String LOCK =
      """
      SELECT count(*) FROM (
        SELECT 1
        FROM kagzi.workflow_runs
        WHERE run_id = ANY(:locked::uuid[]) AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
        ORDER BY run_id
        FOR NO KEY UPDATE) AS locked;
      """;

  /**
   * The fence of each result is looked at here, in the row that is locked. Tables are read by
   * LATERAL with a limit, or by an array: a join could begin with the table, as long as that is
   * believed to be small. OFFSET keeps what is looked for of one run from being looked up for all.
   */
  private static final String HELD =
      """
      WITH told AS MATERIALIZED (
        SELECT c.*, w.task_queue, w.workflow_type, w.version, w.created_at, w.stop_requested,
               w.stop_reason, w.stop_requested_at
        FROM unnest(
          :runIds::uuid[], :namespaces::text[], :epochs::int4[], :workers::uuid[],
          :stepKeys::text[], :attempts::int4[], :seqs::int4[], :kinds::text[], :outputs::bytea[],
          :outputMetadata::text[], :startedAt::timestamptz[], :groups::text[], :parents::text[],
          :quiet::bool[], :compensations::bool[], :inputs::bytea[], :inputMetadata::text[])
        WITH ORDINALITY
        AS c(run_id, namespace_id, lease_epoch, worker_id, step_key, attempt, seq, kind, output,
             output_metadata, started_at, parallel_group_id, parent_step_id, quiet, compensation,
             input, input_metadata, place)
        CROSS JOIN LATERAL (
          SELECT * FROM kagzi.workflow_runs r
          WHERE r.run_id = c.run_id AND r.namespace_id = c.namespace_id
            AND r.lease_epoch = c.lease_epoch AND r.status = 'RUNNING'
            AND %s
          LIMIT 1) w
      ), announced AS (
        DELETE FROM kagzi.running_steps s
        WHERE s.run_id = ANY(ARRAY(SELECT run_id FROM told WHERE step_key IS NOT NULL))
          AND EXISTS (
            SELECT 1 FROM told t
            WHERE t.run_id = s.run_id AND t.step_key = s.step_key
              AND t.lease_epoch >= s.lease_epoch)
      ), steps AS (
        INSERT INTO kagzi.step_runs (
          run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, worker_id, output,
          output_metadata, parallel_group_id, parent_step_id, quiet, compensation, input,
          input_metadata, started_at, finished_at)
        SELECT run_id, step_key, attempt, seq, kind, 'COMPLETED', true, lease_epoch, worker_id,
               output, output_metadata::jsonb, parallel_group_id, parent_step_id, quiet,
               compensation, input, input_metadata::jsonb, started_at, :now
        FROM told
        WHERE step_key IS NOT NULL
      )\
      """;

  private static final String STEPS_ONLY = HELD.formatted("c.step_key IS NOT NULL");

  /** Nobody is waited for, told or to be undone, and nothing is under way, when such a run ends. */
  private static final String STEPS_AND_ENDS =
      HELD.formatted(
              """
              (c.step_key IS NOT NULL
                 OR (r.parent_run_id IS NULL AND NOT r.has_children AND r.open_sagas = 0
                     AND r.stop_requested IS NULL
                     AND NOT EXISTS (
                       SELECT 1 FROM kagzi.run_waits x WHERE x.run_id = r.run_id OFFSET 0)
                     AND NOT EXISTS (
                       SELECT 1 FROM kagzi.running_steps x WHERE x.run_id = r.run_id OFFSET 0)))\
              """)
          + """
          , moved AS (
            DELETE FROM kagzi.workflow_runs
            WHERE run_id = ANY(ARRAY(SELECT run_id FROM told WHERE step_key IS NULL))
            RETURNING *
          ), history AS (
            INSERT INTO kagzi.finished_runs (
              %1$s,
              status, finished_by, output, output_metadata, finished_at)
            SELECT %1$s,
                   'COMPLETED', m.locked_by, e.output, e.output_metadata::jsonb, :now
            FROM moved m
            JOIN unnest(:endedIds::uuid[], :endOutputs::bytea[], :endMetadata::text[])
              AS e(run_id, output, output_metadata) USING (run_id)
          )\
          """
              .formatted(FinishStore.KEPT);

  private static final String TELL =
      """

      SELECT place, namespace_id, task_queue, workflow_type, version, created_at, stop_requested,
             stop_reason, stop_requested_at
      FROM told;
      """;

  private static final String AWAITED =
      """
      SELECT %s
      FROM unnest(:awaited::uuid[]) AS asked(id)
      CROSS JOIN LATERAL (SELECT * FROM kagzi.finished_runs WHERE run_id = asked.id) f
      """
          .formatted(RunRows.ENDED);

  private static final String WRITE_STEPS = LOCK + STEPS_ONLY + TELL;
  private static final String WRITE = LOCK + STEPS_AND_ENDS + TELL;
  private static final String WRITE_AND_READ = WRITE + AWAITED;

  /**
   * Writes results that were never written before.
   *
   * @param awaited runs among them whose end somebody waits for
   * @throws dev.kagzi.engine.jdbc.DatabaseException if one was: then none is written
   */
  public Outcome write(
      Transaction tx, List<Plain> results, Collection<RunId> awaited, Instant now) {
    List<Written> written = new ArrayList<>();
    List<Run> ends = new ArrayList<>();
    List<Consumer<Row>> readers =
        List.of(
            locked -> {}, row -> written.add(readWritten(row)), row -> ends.add(RunRows.read(row)));
    List<Plain> ending = results.stream().filter(result -> result.step() == null).toList();
    if (ending.isEmpty()) {
      bind(tx.query(WRITE_STEPS), results, now).each(readers.subList(0, 2));
    } else if (awaited.isEmpty()) {
      bindEnds(bind(tx.query(WRITE), results, now), ending).each(readers.subList(0, 2));
    } else {
      bindEnds(bind(tx.query(WRITE_AND_READ), results, now), ending)
          .uuids("awaited", awaited, RunId::value)
          .each(readers);
    }
    return new Outcome(written, ends);
  }

  private static Query bindEnds(Query query, List<Plain> ending) {
    return query
        .uuids("endedIds", ending, end -> end.fence().runId().value())
        .byteArrays("endOutputs", ending, end -> Rows.dataOrNull(end.output()))
        .texts("endMetadata", ending, end -> Rows.metadataOrNull(end.output()));
  }

  private static Query bind(Query query, List<Plain> results, Instant now) {
    return query
        .set("now", now)
        .uuids("locked", results, result -> result.fence().runId().value())
        .uuids("runIds", results, result -> result.fence().runId().value())
        .texts("namespaces", results, result -> result.fence().namespace())
        .ints("epochs", results, result -> result.fence().epoch())
        .uuids("workers", results, result -> idOrNull(result.worker()))
        .texts("stepKeys", results, result -> result.ofStep(StepResult::stepKey))
        .ints("attempts", results, result -> result.ofStep(StepResult::attempt))
        .ints("seqs", results, result -> result.ofStep(StepResult::seq))
        .texts("kinds", results, result -> result.ofStep(step -> step.kind().name()))
        .byteArrays("outputs", results, result -> result.ofStep(step -> step.output().data()))
        .texts(
            "outputMetadata",
            results,
            result -> result.ofStep(step -> Json.ofMap(step.output().metadata())))
        .instants("startedAt", results, result -> result.ofStep(StepResult::startedAt))
        .texts("groups", results, result -> result.ofStep(step -> step.traits().parallelGroup()))
        .texts("parents", results, result -> result.ofStep(step -> step.traits().parentStep()))
        .booleans("quiet", results, result -> result.ofStep(step -> step.traits().quiet()))
        .booleans(
            "compensations", results, result -> result.ofStep(step -> step.traits().compensation()))
        .byteArrays("inputs", results, result -> result.ofStep(step -> step.traits().inputData()))
        .texts(
            "inputMetadata",
            results,
            result -> result.ofStep(step -> Json.ofMap(step.traits().inputMetadata())));
  }

  private static java.util.@Nullable UUID idOrNull(@Nullable WorkerId worker) {
    return worker == null ? null : worker.value();
  }

  private static Written readWritten(Row row) {
    return new Written(
        row.integer("place") - 1,
        Rows.target(row),
        row.instant("created_at"),
        Rows.stopOrNull(row));
  }
}
