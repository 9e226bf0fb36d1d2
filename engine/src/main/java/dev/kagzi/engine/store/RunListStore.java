package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.List;
import java.util.Optional;

/**
 * Lists of runs, live and ended ones merged by id. Each source is read in the order of an index and
 * stops at its limit, so that a page costs the same however long the history is.
 */
public final class RunListStore {

  /** Rows of one source that a filter without an index may look at in one call. */
  public static final int SCAN_LIMIT = 100_000;

  /** One index scan per status, so that the newest of all statuses are found without a sort. */
  private static final String PAGE =
      """
      SELECT * FROM (
        SELECT * FROM (
          SELECT %1$s FROM (
            SELECT * FROM kagzi.workflow_runs
            WHERE namespace_id = :namespace AND status = ANY(:liveStatuses::text[])
              AND run_id %3$s :beyond %5$s
            ORDER BY run_id %4$s LIMIT %13$s) AS r
          WHERE true %6$s
          ORDER BY run_id %4$s LIMIT :limit) AS live
        UNION ALL
        SELECT ended.* FROM %11$s
        CROSS JOIN LATERAL (
          SELECT %2$s FROM (
            SELECT * FROM kagzi.finished_runs
            WHERE namespace_id = :namespace AND status = asked.status
              AND run_id %3$s :beyond %12$s
            ORDER BY run_id %14$s LIMIT %13$s) AS seen
          WHERE true %7$s
          ORDER BY run_id %14$s LIMIT :limit) AS ended) AS runs
      ORDER BY run_id %4$s
      LIMIT :limit
      """;

  /** Runs beyond a position, nearest first. */
  public List<Run> page(
      Transaction tx, String namespace, List<Criterion> criteria, Position from, int limit) {
    RunFilter filter = new RunFilter(criteria);
    Query query =
        tx.assembled(assemble(PAGE, filter, from.direction()))
            .set("namespace", namespace)
            .set("beyond", from.beyond().value())
            .set("limit", limit)
            .texts("liveStatuses", filter.liveStatuses(), text -> text)
            .texts("endedStatuses", filter.endedStatuses(), text -> text);
    return filter.bind(query).list(RunRows::read);
  }

  private static final String SCAN_END =
      """
      SELECT run_id FROM (
        (SELECT run_id FROM kagzi.workflow_runs
         WHERE namespace_id = :namespace AND status = ANY(:liveStatuses::text[])
           AND run_id %3$s :beyond %5$s
         ORDER BY run_id %4$s OFFSET %8$d - 1 LIMIT 1)
        UNION ALL
        SELECT ended.run_id FROM %11$s
        CROSS JOIN LATERAL (
          SELECT run_id FROM kagzi.finished_runs
          WHERE namespace_id = :namespace AND status = asked.status
            AND run_id %3$s :beyond %12$s
          ORDER BY run_id %14$s OFFSET %8$d - 1 LIMIT 1) AS ended) AS ends
      ORDER BY run_id %4$s
      LIMIT 1
      """;

  /** Where a scan that looked at as many rows as it may has stopped; empty if it saw everything. */
  public Optional<RunId> scanEnd(
      Transaction tx, String namespace, List<Criterion> criteria, Position from) {
    RunFilter filter = new RunFilter(criteria);
    if (!filter.scans()) {
      return Optional.empty();
    }
    return lastSeen(tx, namespace, criteria, from);
  }

  /** The row at which a look of the longest length ends; empty if there are fewer. */
  private static Optional<RunId> lastSeen(
      Transaction tx, String namespace, List<Criterion> criteria, Position from) {
    RunFilter filter = new RunFilter(criteria);
    List<Criterion> indexed = criteria.stream().filter(RunFilter::isIndexed).toList();
    Query query =
        tx.assembled(assemble(SCAN_END, filter, from.direction()))
            .set("namespace", namespace)
            .set("beyond", from.beyond().value())
            .texts("liveStatuses", filter.liveStatuses(), text -> text)
            .texts("endedStatuses", filter.endedStatuses(), text -> text);
    return new RunFilter(indexed).bind(query).first(row -> new RunId(row.uuid("run_id")));
  }

  private static final String COUNT =
      """
      SELECT count(*) AS n FROM (
        SELECT 1 FROM (
          SELECT * FROM (
            SELECT * FROM kagzi.workflow_runs
            WHERE namespace_id = :namespace AND status = ANY(:liveStatuses::text[]) %5$s
            LIMIT %13$s) AS seen
          WHERE true %6$s
          LIMIT :limit) AS live
        UNION ALL
        SELECT 1 FROM (
          SELECT * FROM (
            SELECT * FROM kagzi.finished_runs
            WHERE namespace_id = :namespace AND status = ANY(:endedStatuses::text[]) %5$s
            LIMIT %13$s) AS seen
          WHERE true %7$s
          LIMIT :limit) AS ended
        LIMIT :limit) AS counted
      """;

  /** How many runs there are, up to a limit. */
  public long count(Transaction tx, String namespace, List<Criterion> criteria, int limit) {
    RunFilter filter = new RunFilter(criteria);
    Query query =
        tx.assembled(assemble(COUNT, filter, Direction.OLDER))
            .set("namespace", namespace)
            .set("limit", limit)
            .texts("liveStatuses", filter.liveStatuses(), text -> text)
            .texts("endedStatuses", filter.endedStatuses(), text -> text);
    return filter.bind(query).only(row -> row.bigint("n"));
  }

  /** A group, its size and its newest run. */
  public record GroupRow(String name, long count, RunId newest) {}

  /** Groups of what was looked at. */
  public record Groups(List<GroupRow> groups, boolean isCutOff) {}

  private static final String GROUPS =
      """
      WITH counted AS (
        SELECT * FROM (
          SELECT run_id, %9$s AS name FROM (
            SELECT * FROM kagzi.workflow_runs
            WHERE namespace_id = :namespace AND status = ANY(:liveStatuses::text[]) %5$s
            ORDER BY run_id DESC LIMIT %8$d) AS seen
          WHERE true %6$s) AS live
        UNION ALL
        SELECT ended.* FROM %11$s
        CROSS JOIN LATERAL (
          SELECT run_id, %10$s AS name FROM (
            SELECT * FROM kagzi.finished_runs
            WHERE namespace_id = :namespace AND status = asked.status %12$s
            ORDER BY run_id DESC NULLS LAST LIMIT %8$d) AS seen
          WHERE true %7$s) AS ended
      )
      SELECT name, count(*) AS n, (array_agg(run_id ORDER BY run_id DESC))[1] AS newest
      FROM counted
      WHERE name IS NOT NULL
      GROUP BY name
      ORDER BY n DESC, name
      LIMIT 1000
      """;

  /**
   * Counts by a column, or an expression, of each of the two tables.
   *
   * @param live fixed text, never a caller's value
   * @param ended likewise
   */
  public Groups groups(
      Transaction tx, String namespace, List<Criterion> criteria, String live, String ended) {
    RunFilter filter = new RunFilter(criteria);
    Query query =
        tx.assembled(assemble(GROUPS, filter, Direction.OLDER, live, ended))
            .set("namespace", namespace)
            .texts("liveStatuses", filter.liveStatuses(), text -> text)
            .texts("endedStatuses", filter.endedStatuses(), text -> text);
    List<GroupRow> rows =
        filter
            .bind(query)
            .list(row ->
                new GroupRow(row.text("name"), row.bigint("n"), new RunId(row.uuid("newest"))));
    return new Groups(rows, lastSeen(tx, namespace, criteria, Position.NEWEST).isPresent());
  }

  private static String assemble(String frame, RunFilter filter, Direction direction) {
    return assemble(frame, filter, direction, "", "");
  }

  private static String assemble(
      String frame, RunFilter filter, Direction direction, String live, String ended) {
    boolean older = direction == Direction.OLDER;
    return frame.formatted(
        RunRows.LIVE,
        RunRows.ENDED_WITHOUT_OUTPUT,
        older ? "<" : ">",
        older ? "DESC" : "ASC",
        filter.indexed(),
        filter.scanning(true),
        filter.scanning(false),
        SCAN_LIMIT,
        live,
        ended,
        filter.asked(),
        filter.indexedInHistory(),
        // Planned for what is wanted, a page is read off an index; planned for more, it is sorted.
        filter.scans() ? SCAN_LIMIT : ":limit",
        // As the indexes for lists are ordered, and the primary key is not: a scan of that would
        // look at every run there is for a state that is rare.
        older ? "DESC NULLS LAST" : "ASC NULLS FIRST");
  }

  private static final String DELETE =
      """
      WITH gone AS (
        DELETE FROM kagzi.finished_runs
        WHERE run_id = ANY(:runIds::uuid[]) AND namespace_id = :namespace
        RETURNING run_id
      ), payloads AS (
        DELETE FROM kagzi.workflow_payloads p USING gone WHERE p.run_id = gone.run_id
      ), steps AS (
        DELETE FROM kagzi.step_runs s USING gone WHERE s.run_id = gone.run_id
      ), events AS (
        DELETE FROM kagzi.run_events e USING gone WHERE e.run_id = gone.run_id
      ), states AS (
        DELETE FROM kagzi.run_states s USING gone WHERE s.run_id = gone.run_id
      ), children AS (
        DELETE FROM kagzi.child_items c USING gone WHERE c.run_id = gone.run_id
      ), maps AS (
        DELETE FROM kagzi.child_maps m USING gone WHERE m.run_id = gone.run_id
      )
      SELECT run_id FROM gone
      """;

  /** Removes ended runs with everything that belongs to them; says how many there were. */
  public int delete(Transaction tx, String namespace, List<RunId> runIds) {
    return tx.query(DELETE)
        .uuids("runIds", runIds, RunId::value)
        .set("namespace", namespace)
        .list(row -> row.uuid("run_id"))
        .size();
  }
}
