package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.ListedStep;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunProgress;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What people read about steps: attempts that have ended or go on, and open waits. */
public final class StepListStore {

  /** What a line costs besides its payloads or error. */
  private static final int LINE_BYTES = 200;

  /**
   * Which steps are meant.
   *
   * @param allAttempts every attempt, superseded ones too, rather than the one that counts
   * @param withPayloads inputs and outputs as well
   * @param statuses one of these; empty means any
   * @param stepKey this step only; null means all
   */
  public record Choice(
      RunId runId,
      boolean allAttempts,
      boolean withPayloads,
      Set<String> statuses,
      @Nullable String stepKey) {}

  /** Lines of a page, and whether there are more beyond. */
  public record Lines(List<ListedStep> steps, boolean more) {}

  /**
   * Everything is read by the run's id from its own partition. Of each step the attempt that counts
   * is its settled one, or its last. What has not ended has no status.
   */
  private static final String ATTEMPTS =
      """
      WITH attempts AS (
        SELECT step_key, seq, attempt, kind, status, settled, lease_epoch, worker_id,
               CASE WHEN :withPayloads THEN output END AS output,
               CASE WHEN :withPayloads THEN output_metadata END AS output_metadata, error, wake_at,
               retry_at, timeout_at, timed_out, event_name, child_run_id, parallel_group_id,
               parent_step_id, quiet, compensation, started_at, finished_at, superseded_at,
               CASE WHEN :withPayloads THEN input END AS input,
               CASE WHEN :withPayloads THEN input_metadata END AS input_metadata, retry_policy,
               false AS begun, false AS waiting
        FROM kagzi.step_runs
        WHERE run_id = :runId
        UNION ALL
        SELECT step_key, seq, attempt, kind, NULL, false, lease_epoch, worker_id, NULL, NULL, NULL,
               NULL, NULL, timeout_at, false, NULL, NULL, parallel_group_id, parent_step_id, quiet,
               compensation, started_at, NULL, NULL, NULL, NULL, retry_policy, true, false
        FROM kagzi.running_steps
        WHERE run_id = :runId
        UNION ALL
        SELECT step_key, seq, 1,
               CASE kind WHEN 'TIMER' THEN 'SLEEP' WHEN 'EVENT' THEN 'EVENT'
                         ELSE 'CHILD_WORKFLOW' END,
               NULL, false, 0, NULL, NULL, NULL, NULL, COALESCE(wake_at, timeout_at), NULL,
               timeout_at, false, event_name, child_run_id, parallel_group_id, parent_step_id,
               false, false, since, NULL, NULL, NULL, NULL, NULL, false, true
        FROM kagzi.run_waits
        WHERE run_id = :runId AND kind <> 'RETRY'
      ), ranked AS (
        SELECT *,
               count(*) FILTER (WHERE status = 'FAILED' AND superseded_at IS NULL)
                 OVER (PARTITION BY step_key) AS failures,
               row_number() OVER (PARTITION BY step_key
                 ORDER BY superseded_at IS NULL DESC, settled DESC, attempt DESC) AS rank
        FROM attempts
      ), chosen AS (
        SELECT * FROM ranked
        WHERE (:onlyStep::text IS NULL OR step_key = :onlyStep)
          AND (:allAttempts OR rank = 1 AND superseded_at IS NULL)
          AND (cardinality(:statuses::text[]) = 0
               OR COALESCE(status, 'RUNNING') = ANY(:statuses::text[]))
      )
      """;

  /**
   * A page ends after so many lines or bytes, whichever comes first, and holds one line at least.
   * Inputs are hashed for those lines only: they may be large.
   *
   * <p>%1$s stands for the side of the position that is read, %2$s for the order away from it.
   */
  private static final String PAGE =
      ATTEMPTS
          + """
          SELECT page.*,
                 COALESCE((SELECT encode(sha256(called.input), 'hex')
                           FROM kagzi.step_runs AS called
                           WHERE called.run_id = :runId AND called.step_key = page.step_key
                             AND called.attempt = page.attempt AND page.status IS NOT NULL),
                          '') AS input_hash
          FROM (
            SELECT limited.*, count(*) OVER () AS seen
            FROM (
              SELECT chosen.*, row_number() OVER away AS line,
                     sum(COALESCE(octet_length(input), 0) + COALESCE(octet_length(output), 0)
                         + COALESCE(octet_length(error::text), 0) + :lineBytes) OVER away AS bytes
              FROM chosen
              WHERE (seq, step_key, attempt) %1$s (:seq, :stepKey, :attempt)
              WINDOW away AS (ORDER BY seq %2$s, step_key %2$s, attempt %2$s)
              ORDER BY seq %2$s, step_key %2$s, attempt %2$s
              LIMIT :maxLines) AS limited) AS page
          WHERE line = 1 OR line < :maxLines AND bytes <= :maxBytes
          ORDER BY line
          """;

  private static final String AFTER = PAGE.formatted(">", "ASC");

  private static final String BEFORE = PAGE.formatted("<", "DESC");

  private record Line(ListedStep step, long seen) {}

  /** What follows a place, nearest first. */
  public Lines after(
      Transaction tx, Choice choice, ListedStep.Place place, int limit, long maxBytes) {
    return page(tx.query(AFTER), choice, place, limit, maxBytes);
  }

  /** What precedes a place, nearest first. */
  public Lines before(
      Transaction tx, Choice choice, ListedStep.Place place, int limit, long maxBytes) {
    return page(tx.query(BEFORE), choice, place, limit, maxBytes);
  }

  private static Lines page(
      Query query, Choice choice, ListedStep.Place place, int limit, long maxBytes) {
    List<Line> lines =
        choose(query, choice)
            .set("seq", place.seq())
            .set("stepKey", place.stepKey())
            .set("attempt", place.attempt())
            .set("lineBytes", LINE_BYTES)
            .set("maxLines", limit + 1)
            .set("maxBytes", maxBytes)
            .list(row -> new Line(read(row), row.bigint("seen")));
    boolean more = !lines.isEmpty() && lines.get(0).seen() > lines.size();
    return new Lines(lines.stream().map(Line::step).toList(), more);
  }

  /**
   * Everything is read by the run's id: settled steps by their index from the run's own partition,
   * what goes on from tables that hold only what goes on.
   */
  private static final String PROGRESS =
      """
      SELECT (SELECT count(*)::int4 FROM kagzi.step_runs
              WHERE run_id = :runId AND settled AND superseded_at IS NULL) AS settled_steps,
             COALESCE(
               (SELECT step_key FROM kagzi.running_steps
                WHERE run_id = :runId ORDER BY started_at DESC, seq DESC LIMIT 1),
               (SELECT step_key FROM kagzi.run_waits
                WHERE run_id = :runId ORDER BY since DESC, seq DESC LIMIT 1)) AS current_step
      """;

  public RunProgress progress(Transaction tx, RunId runId) {
    return tx.query(PROGRESS)
        .set("runId", runId.value())
        .only(row -> new RunProgress(row.integer("settled_steps"), row.textOrNull("current_step")));
  }

  private static final String COUNT =
      ATTEMPTS + "SELECT count(*) AS found FROM (SELECT 1 FROM chosen LIMIT :limit) AS counted\n";

  public long count(Transaction tx, Choice choice, int limit) {
    return choose(tx.query(COUNT), choice).set("limit", limit).only(row -> row.bigint("found"));
  }

  private static Query choose(Query query, Choice choice) {
    return query
        .set("runId", choice.runId().value())
        .set("onlyStep", choice.stepKey())
        .set("allAttempts", choice.allAttempts())
        .set("withPayloads", choice.withPayloads())
        .texts("statuses", choice.statuses(), status -> status);
  }

  private static ListedStep read(Row row) {
    UUID worker = row.uuidOrNull("worker_id");
    RecordedStep step = StepStore.readRecorded(row);
    return new ListedStep(
        step.with(
            new StepTraits(
                step.traits().parallelGroup(),
                step.traits().parentStep(),
                row.bool("quiet"),
                row.bool("compensation"),
                Json.toPayload(row.bytesOrNull("input"), row.textOrNull("input_metadata")))),
        row.instantOrNull("started_at"),
        row.instantOrNull("superseded_at"),
        worker == null ? null : new WorkerId(worker),
        Json.toPolicy(row.textOrNull("retry_policy")),
        row.text("input_hash"));
  }
}
