package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.ChildResult;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Children, as the steps that have started them know them. */
public final class ChildStore {

  private static final String FIND_CHILDREN =
      """
      SELECT c.run_id, c.step_key, c.child_run_id
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      JOIN kagzi.child_items c
        ON c.run_id = a.run_id AND c.step_key = a.step_key AND c.item_index = 0
      WHERE c.child_run_id IS NOT NULL
      """;

  /** The children that steps have started before. */
  public Map<Step, RunId> findChildren(Transaction tx, Collection<Step> steps) {
    Map<Step, RunId> children = new HashMap<>();
    tx.query(FIND_CHILDREN)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, Step::stepKey)
        .list(row -> Map.entry(readStep(row), new RunId(row.uuid("child_run_id"))))
        .forEach(entry -> children.put(entry.getKey(), entry.getValue()));
    return children;
  }

  private static Step readStep(Row row) {
    return new Step(new RunId(row.uuid("run_id")), row.text("step_key"));
  }

  private static final String INSERT =
      """
      INSERT INTO kagzi.child_items (run_id, step_key, item_index, child_run_id, status)
      SELECT run_id, step_key, 0, child_run_id, 'RUNNING'
      FROM unnest(:runIds::uuid[], :stepKeys::text[], :children::uuid[])
        AS c(run_id, step_key, child_run_id)
      """;

  /** Writes down children that this transaction has started. */
  public void insert(Transaction tx, Map<Step, RunId> children) {
    List<Map.Entry<Step, RunId>> entries = List.copyOf(children.entrySet());
    tx.query(INSERT)
        .uuids("runIds", entries, entry -> entry.getKey().runId().value())
        .texts("stepKeys", entries, entry -> entry.getKey().stepKey())
        .uuids("children", entries, entry -> entry.getValue().value())
        .update();
  }

  /** Once per run: every further child finds it written. */
  private static final String MARK_PARENTS =
      """
      UPDATE kagzi.workflow_runs SET has_children = true
      WHERE run_id = ANY(:runIds::uuid[]) AND NOT has_children
      """;

  /** Notes that runs have children; the caller holds the locks. */
  public void markParents(Transaction tx, Collection<RunId> runIds) {
    tx.query(MARK_PARENTS).uuids("runIds", runIds, RunId::value).update();
  }

  /** The end of a child, as its parent is to see it. */
  public record ChildEnd(
      RunId parent,
      RunId child,
      RunStatus status,
      @Nullable Payload output,
      @Nullable Failure error) {}

  /**
   * The item of a child that has ended.
   *
   * @param inMap whether it is one of many of its step
   */
  public record EndedItem(Step step, RunId child, boolean inMap) {}

  /**
   * A child whose item is not RUNNING has been heard of before, or is of no interest any more: it
   * was sent back by RetryWorkflow, or its parent was.
   */
  private static final String END_ITEMS =
      """
      UPDATE kagzi.child_items i
      SET status = e.status, output = e.output, output_metadata = e.output_metadata::jsonb,
          error = e.error::jsonb
      FROM unnest(:parents::uuid[], :children::uuid[], :statuses::text[], :outputs::bytea[],
                  :outputMetadata::text[], :errors::text[])
        AS e(run_id, child_run_id, status, output, output_metadata, error)
      WHERE i.child_run_id = e.child_run_id AND i.child_run_id = ANY(:children::uuid[])
        AND i.run_id = e.run_id AND i.status = 'RUNNING'
      RETURNING i.run_id, i.step_key, i.child_run_id,
                EXISTS (SELECT 1 FROM kagzi.child_maps m
                        WHERE m.run_id = i.run_id AND m.step_key = i.step_key) AS in_map
      """;

  /** Copies the results of children to their parents; the caller holds the parents' locks. */
  public List<EndedItem> endItems(Transaction tx, List<ChildEnd> ends) {
    return tx.query(END_ITEMS)
        .uuids("parents", ends, end -> end.parent().value())
        .uuids("children", ends, end -> end.child().value())
        .texts("statuses", ends, end -> end.status().name())
        .byteArrays("outputs", ends, end -> Rows.dataOrNull(end.output()))
        .texts("outputMetadata", ends, end -> Rows.metadataOrNull(end.output()))
        .texts("errors", ends, end -> Json.ofFailure(end.error()))
        .list(row ->
            new EndedItem(readStep(row), new RunId(row.uuid("child_run_id")), row.bool("in_map")));
  }

  /**
   * How the children of a step stand.
   *
   * @param result of its only child, or of nobody if it is a fan-out
   * @param over whether all of its children have ended
   */
  public record Standing(Step step, @Nullable ChildResult result, boolean over) {}

  private static final String FIND_STANDINGS =
      """
      SELECT a.run_id, a.step_key, c.item_index, c.child_run_id, c.status, c.output,
             c.output_metadata, c.error,
             COALESCE(m.is_complete AND m.ended_count = m.item_count,
                      c.status NOT IN ('WAITING', 'RUNNING')) AS is_over
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      LEFT JOIN kagzi.child_maps m ON m.run_id = a.run_id AND m.step_key = a.step_key
      LEFT JOIN kagzi.child_items c
        ON c.run_id = a.run_id AND c.step_key = a.step_key AND c.item_index = 0
       AND m.run_id IS NULL
      WHERE m.run_id IS NOT NULL OR c.run_id IS NOT NULL
      """;

  /** How the children of steps stand; nothing of steps that have started none. */
  public Map<Step, Standing> findStandings(Transaction tx, Collection<Step> steps) {
    Map<Step, Standing> standings = new HashMap<>();
    tx.query(FIND_STANDINGS)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, Step::stepKey)
        .list(row ->
            new Standing(
                readStep(row),
                row.textOrNull("status") == null ? null : readResult(row),
                row.bool("is_over")))
        .forEach(standing -> standings.put(standing.step(), standing));
    return standings;
  }

  /** A page ends after so many lines or bytes, and holds one line at least. */
  private static final String LIST =
      """
      SELECT * FROM (
        SELECT limited.*, count(*) OVER () AS seen
        FROM (
          SELECT item_index, child_run_id, status, output, output_metadata, error,
                 row_number() OVER in_order AS line,
                 sum(COALESCE(octet_length(output), 0)
                     + COALESCE(octet_length(output_metadata::text), 0)
                     + COALESCE(octet_length(error::text), 0) + :lineBytes)
                   OVER in_order AS bytes
          FROM kagzi.child_items
          WHERE run_id = :runId AND step_key = :stepKey AND item_index > :after
          WINDOW in_order AS (ORDER BY item_index)
          ORDER BY item_index
          LIMIT :limit + 1) AS limited) AS page
      WHERE line = 1 OR line <= :limit AND bytes <= :maxBytes
      ORDER BY item_index
      """;

  /** What a line costs besides its output or error. */
  private static final int LINE_BYTES = 80;

  /** Children of a step in the order of their items, and whether there are more. */
  public record Listed(List<ChildResult> results, boolean more) {}

  private record Line(ChildResult result, long seen) {}

  /** How the children of a step after an index stand. */
  public Listed list(Transaction tx, Step step, int after, int limit, int maxBytes) {
    List<Line> lines =
        tx.query(LIST)
            .set("runId", step.runId().value())
            .set("stepKey", step.stepKey())
            .set("after", after)
            .set("limit", limit)
            .set("lineBytes", LINE_BYTES)
            .set("maxBytes", maxBytes)
            .list(row -> new Line(readResult(row), row.bigint("seen")));
    boolean more = !lines.isEmpty() && lines.get(0).seen() > lines.size();
    return new Listed(lines.stream().map(Line::result).toList(), more);
  }

  /** An item that waits for its turn is shown as a run that waits for a worker. */
  private static ChildResult readResult(Row row) {
    String status = row.text("status");
    return new ChildResult(
        row.integer("item_index"),
        Rows.runOrNull(row, "child_run_id"),
        status.equals("WAITING") ? RunStatus.PENDING : RunStatus.valueOf(status),
        Json.toPayload(row.bytesOrNull("output"), row.textOrNull("output_metadata")),
        Json.toFailure(row.textOrNull("error")));
  }

  /** What belongs to a step that is no longer settled must not be found by its next attempt. */
  private static final String FORGET =
      """
      WITH maps AS (
        DELETE FROM kagzi.child_maps m
        WHERE m.run_id = ANY(:runIds::uuid[])
          AND NOT EXISTS (
            SELECT 1 FROM kagzi.step_runs s
            WHERE s.run_id = m.run_id AND s.step_key = m.step_key
              AND s.settled AND s.superseded_at IS NULL)
      )
      DELETE FROM kagzi.child_items c
      WHERE c.run_id = ANY(:runIds::uuid[])
        AND NOT EXISTS (
          SELECT 1 FROM kagzi.step_runs s
          WHERE s.run_id = c.run_id AND s.step_key = c.step_key
            AND s.settled AND s.superseded_at IS NULL)
      """;

  /**
   * Lets runs that are sent back start anew the children whose results they have not settled. The
   * old ones are theirs still, but nobody waits for them.
   */
  public void forgetUnsettled(Transaction tx, Collection<RunId> runIds) {
    tx.query(FORGET).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String COPY =
      """
      INSERT INTO kagzi.child_items (
        run_id, step_key, item_index, child_run_id, status, output, output_metadata, error)
      SELECT :runId::uuid, c.step_key, c.item_index, c.child_run_id, c.status, c.output,
             c.output_metadata, c.error
      FROM kagzi.child_items c
      WHERE c.run_id = :origin
        AND EXISTS (SELECT 1 FROM kagzi.step_runs s
                    WHERE s.run_id = :runId AND s.step_key = c.step_key)
      """;

  /** Gives a fork the results of the children whose steps it was given. */
  public void copy(Transaction tx, RunId origin, RunId runId) {
    tx.query(COPY).set("origin", origin.value()).set("runId", runId.value()).update();
  }
}
