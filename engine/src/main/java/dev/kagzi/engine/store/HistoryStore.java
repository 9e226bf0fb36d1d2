package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What replays read: one line per step, page by page. */
public final class HistoryStore {

  private static final int PAGE_ITEMS = 2000;
  private static final int PAGE_BYTES = 1024 * 1024;

  /** What a line costs besides its output or error. */
  private static final int LINE_BYTES = 200;

  /**
   * Each run is read from its own partition only (LATERAL with the run id as the key). Per step one
   * line: its settled attempt, or its last; whether an attempt has begun; the wait it is in. Of
   * superseded attempts only the number is told, because the next one must have a higher. A page
   * ends after so many lines or bytes, whichever comes first, and holds one line at least.
   *
   * <p>%s stands for a further condition on the lines.
   */
  private static final String FRAME =
      """
      SELECT a.run_id, h.*
      FROM unnest(:runIds::uuid[], :afterSeqs::int4[], :afterKeys::text[])
        AS a(run_id, after_seq, after_key)
      CROSS JOIN LATERAL (
        SELECT limited.*, count(*) OVER () AS seen
        FROM (
          SELECT lines.*,
                 row_number() OVER in_call_order AS line,
                 sum(COALESCE(octet_length(output), 0)
                     + COALESCE(octet_length(output_metadata::text), 0)
                     + COALESCE(octet_length(error::text), 0) + :lineBytes)
                   OVER in_call_order AS bytes
          FROM (
            SELECT step_key, COALESCE(s.seq, b.seq, w.seq, o.seq) AS seq,
                   COALESCE(s.kind, b.kind,
                     CASE w.kind WHEN 'TIMER' THEN 'SLEEP' WHEN 'EVENT' THEN 'EVENT'
                                 WHEN 'CHILD' THEN 'CHILD_WORKFLOW' END, o.kind) AS kind,
                   s.status, COALESCE(s.settled, false) AS settled,
                   CASE WHEN s.settled THEN s.attempt
                        ELSE GREATEST(s.attempt, b.attempt, o.attempt, 0) END AS attempt,
                   COALESCE(s.lease_epoch, 0) AS lease_epoch, s.output, s.output_metadata,
                   s.error, COALESCE(w.wake_at, w.timeout_at, s.wake_at) AS wake_at, s.retry_at,
                   s.finished_at, COALESCE(s.failures, 0) AS failures,
                   b.step_key IS NOT NULL AS begun, w.step_key IS NOT NULL AS waiting,
                   COALESCE(w.timeout_at, s.timeout_at) AS timeout_at,
                   COALESCE(s.timed_out, false) AS timed_out,
                   COALESCE(w.event_name, s.event_name) AS event_name,
                   COALESCE(w.child_run_id, s.child_run_id) AS child_run_id,
                   COALESCE(s.parallel_group_id, b.parallel_group_id, w.parallel_group_id)
                     AS parallel_group_id,
                   COALESCE(s.parent_step_id, b.parent_step_id, w.parent_step_id)
                     AS parent_step_id
            FROM (
              SELECT DISTINCT ON (step_key) *,
                     count(*) FILTER (WHERE status = 'FAILED') OVER (PARTITION BY step_key)
                       AS failures
              FROM kagzi.step_runs
              WHERE run_id = a.run_id AND superseded_at IS NULL
              ORDER BY step_key, settled DESC, attempt DESC) s
            FULL JOIN (SELECT * FROM kagzi.running_steps WHERE run_id = a.run_id) b
              USING (step_key)
            FULL JOIN (SELECT * FROM kagzi.run_waits
                       WHERE run_id = a.run_id AND kind <> 'RETRY') w
              USING (step_key)
            FULL JOIN (SELECT step_key, min(seq) AS seq, min(kind) AS kind, max(attempt) AS attempt
                       FROM kagzi.step_runs
                       WHERE run_id = a.run_id AND superseded_at IS NOT NULL
                       GROUP BY step_key) o
              USING (step_key)) AS lines
          WHERE (seq, step_key) > (a.after_seq, a.after_key) %s
          WINDOW in_call_order AS (ORDER BY seq, step_key)
          ORDER BY seq, step_key
          LIMIT :maxLines) AS limited) AS h
      WHERE h.line = 1 OR h.line < :maxLines AND h.bytes <= :maxBytes
      ORDER BY a.run_id, h.seq, h.step_key
      """;

  private static final String PAGES = FRAME.formatted("");

  private static final String CHOSEN_STEPS =
      FRAME.formatted("AND step_key = ANY(:stepKeys::text[])");

  private record Line(RunId runId, RecordedStep step, long seen) {}

  /** The first page of each run. */
  public Map<RunId, HistoryPage> firstPages(Transaction tx, List<RunId> runIds) {
    return pages(tx.query(PAGES), runIds, HistoryPage.Position.START);
  }

  /** The page of a run after a position. */
  public HistoryPage page(Transaction tx, RunId runId, HistoryPage.Position after) {
    return pages(tx.query(PAGES), List.of(runId), after).getOrDefault(runId, HistoryPage.EMPTY);
  }

  /** The same of the named steps only; those that are not there are left out. */
  public HistoryPage page(
      Transaction tx, RunId runId, HistoryPage.Position after, List<String> stepKeys) {
    Query query = tx.query(CHOSEN_STEPS).texts("stepKeys", stepKeys, key -> key);
    return pages(query, List.of(runId), after).getOrDefault(runId, HistoryPage.EMPTY);
  }

  private static Map<RunId, HistoryPage> pages(
      Query query, List<RunId> runIds, HistoryPage.Position after) {
    Map<RunId, List<Line>> lines = new HashMap<>();
    query
        .uuids("runIds", runIds, RunId::value)
        .ints("afterSeqs", runIds, runId -> after.seq())
        .texts("afterKeys", runIds, runId -> after.stepKey())
        .set("lineBytes", LINE_BYTES)
        .set("maxLines", PAGE_ITEMS + 1)
        .set("maxBytes", PAGE_BYTES)
        .list(HistoryStore::readLine)
        .forEach(line -> lines.computeIfAbsent(line.runId(), runId -> new ArrayList<>()).add(line));
    Map<RunId, HistoryPage> pages = new HashMap<>();
    lines.forEach((runId, list) -> pages.put(runId, toPage(list)));
    return pages;
  }

  private static HistoryPage toPage(List<Line> lines) {
    Line last = lines.get(lines.size() - 1);
    boolean more = last.seen() > lines.size();
    return new HistoryPage(
        lines.stream().map(Line::step).toList(),
        more
            ? Optional.of(new HistoryPage.Position(last.step().seq(), last.step().stepKey()))
            : Optional.empty());
  }

  private static Line readLine(Row row) {
    return new Line(new RunId(row.uuid("run_id")), StepStore.readRecorded(row), row.bigint("seen"));
  }
}
