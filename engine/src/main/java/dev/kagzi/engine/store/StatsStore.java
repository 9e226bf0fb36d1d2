package dev.kagzi.engine.store;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.ListedType;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Stats;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures for people. Nothing is kept for them: the newest runs are read by their ids, which are
 * time, as far as one call may look, so that writing costs nothing and reading has a limit.
 */
public final class StatsStore {

  /** Runs of one state that one call looks at. */
  public static final int MAX_RUNS = 20_000;

  /** Live runs that one call counts. */
  public static final int MAX_LIVE = 100_000;

  /** A run that began this long before the window may still have ended in it. */
  private static final Duration LOOK_BACK = Duration.ofDays(1);

  private static final Duration LATE = Duration.ofSeconds(10);

  /**
   * What is asked about.
   *
   * @param workflowType the only type, or null
   * @param taskQueue the only queue, or null
   */
  public record Choice(
      String namespace,
      @Nullable String workflowType,
      @Nullable String taskQueue,
      Instant from,
      Instant to) {

    private Query bind(Query query) {
      return query
          .set("namespace", namespace)
          .set("type", workflowType)
          .set("taskQueue", taskQueue)
          .set("from", from)
          .set("to", to)
          .set("fromId", TimeOrderedIds.floor(from.minus(LOOK_BACK)))
          .set("maxRuns", MAX_RUNS);
    }
  }

  /** The filters come after the limit: a rare type must not make a call read all of history. */
  private static final String SEEN =
      """
      WITH looked AS MATERIALIZED (
        SELECT ended.* FROM unnest(ARRAY['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'])
          AS asked(status)
        CROSS JOIN LATERAL (
          SELECT status, workflow_type, task_queue, crashes, created_at, start_at, started_at,
                 finished_at
          FROM kagzi.finished_runs
          WHERE namespace_id = :namespace AND status = asked.status AND run_id >= :fromId
          ORDER BY run_id DESC NULLS LAST
          LIMIT :maxRuns) ended
        UNION ALL
        SELECT * FROM (
          SELECT 'LIVE', workflow_type, task_queue, crashes, created_at, start_at, started_at,
                 NULL::timestamptz
          FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
            AND run_id >= :fromId
          ORDER BY run_id DESC
          LIMIT :maxRuns) AS live
      ), seen AS (
        SELECT * FROM looked
        WHERE (:type::text IS NULL OR workflow_type = :type)
          AND (:taskQueue::text IS NULL OR task_queue = :taskQueue)
      )
      """;

  private static final String BUCKETS =
      SEEN
          + """
          SELECT bucket, sum(started) AS started, sum(completed) AS completed,
                 sum(failed) AS failed, sum(cancelled) AS cancelled, sum(timed_out) AS timed_out
          FROM (
            SELECT floor(extract(epoch FROM created_at - :from) / :bucketSeconds::float8)::int4
                     AS bucket,
                   1 AS started, 0 AS completed, 0 AS failed, 0 AS cancelled, 0 AS timed_out
            FROM seen WHERE created_at >= :from AND created_at < :to
            UNION ALL
            SELECT floor(extract(epoch FROM finished_at - :from) / :bucketSeconds::float8)::int4,
                   0, (status = 'COMPLETED')::int4, (status = 'FAILED')::int4,
                   (status = 'CANCELLED')::int4, (status = 'TIMED_OUT')::int4
            FROM seen WHERE finished_at >= :from AND finished_at < :to) AS counted
          GROUP BY bucket
          """;

  /** What happened, by the number of the stretch of time; where nothing did, there is none. */
  public Map<Integer, Stats.Bucket> buckets(Transaction tx, Choice choice, Duration bucket) {
    Map<Integer, Stats.Bucket> buckets = new HashMap<>();
    choice
        .bind(tx.query(BUCKETS))
        .set("bucketSeconds", bucket.toMillis() / 1000.0)
        .list(row -> Map.entry(row.integer("bucket"), readBucket(row, choice.from(), bucket)))
        .forEach(entry -> buckets.put(entry.getKey(), entry.getValue()));
    return buckets;
  }

  private static Stats.Bucket readBucket(Row row, Instant from, Duration bucket) {
    return new Stats.Bucket(
        from.plus(bucket.multipliedBy(row.integer("bucket"))),
        row.bigint("started"),
        row.bigint("completed"),
        row.bigint("failed"),
        row.bigint("cancelled"),
        row.bigint("timed_out"));
  }

  private static final String SUMMARY =
      SEEN
          + """
          , waits AS (
            SELECT percentile_cont(ARRAY[0.5, 0.95, 0.99])
                     WITHIN GROUP (ORDER BY
                       extract(epoch FROM started_at - COALESCE(start_at, created_at))) AS q
            FROM seen WHERE started_at >= :from AND started_at < :to
          ), durations AS (
            SELECT percentile_cont(ARRAY[0.5, 0.95, 0.99])
                     WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at)) AS q
            FROM seen WHERE finished_at >= :from AND finished_at < :to AND started_at IS NOT NULL
          )
          SELECT w.q[1] AS wait50, w.q[2] AS wait95, w.q[3] AS wait99, d.q[1] AS run50,
                 d.q[2] AS run95, d.q[3] AS run99,
                 (SELECT COALESCE(sum(crashes), 0) FROM seen
                  WHERE created_at >= :from OR finished_at >= :from) AS leases_expired,
                 (SELECT max(oldest) FROM (
                    SELECT min(created_at) AS oldest FROM looked
                    GROUP BY status HAVING count(*) >= :maxRuns) AS cut) AS counted_from
          FROM waits w CROSS JOIN durations d
          """;

  /**
   * The window as a whole.
   *
   * @param countedFrom from when on every run was looked at, if not all were
   */
  public record Whole(Stats.Summary summary, @Nullable Instant countedFrom) {}

  public Whole whole(Transaction tx, Choice choice) {
    return choice
        .bind(tx.query(SUMMARY))
        .only(row ->
            new Whole(
                new Stats.Summary(
                    readQuantiles(row, "wait"),
                    readQuantiles(row, "run"),
                    row.bigint("leases_expired")),
                row.instantOrNull("counted_from")));
  }

  private static Stats.Quantiles readQuantiles(Row row, String of) {
    return new Stats.Quantiles(
        seconds(row, of + "50"), seconds(row, of + "95"), seconds(row, of + "99"));
  }

  private static @Nullable Duration seconds(Row row, String column) {
    String text = row.textOrNull(column);
    return text == null ? null : Duration.ofNanos((long) (Double.parseDouble(text) * 1e9));
  }

  private static final String BY_TYPE =
      SEEN
          + """
          SELECT workflow_type,
                 count(*) FILTER (WHERE created_at >= :from AND created_at < :to) AS started,
                 count(*) FILTER (WHERE in_window AND status = 'COMPLETED') AS completed,
                 count(*) FILTER (WHERE in_window AND status = 'FAILED') AS failed,
                 percentile_cont(0.95)
                   WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at))
                   FILTER (WHERE in_window AND started_at IS NOT NULL) AS p95,
                 max(finished_at) FILTER (WHERE status = 'FAILED') AS last_failure_at
          FROM (SELECT *, finished_at >= :from AND finished_at < :to AS in_window FROM seen) AS runs
          GROUP BY workflow_type
          """;

  /** What became of the runs of each type; of which none was seen, there is none. */
  public Map<String, ListedType.Recent> byType(Transaction tx, Choice choice) {
    Map<String, ListedType.Recent> types = new HashMap<>();
    choice
        .bind(tx.query(BY_TYPE))
        .list(row -> Map.entry(row.text("workflow_type"), readRecent(row)))
        .forEach(entry -> types.put(entry.getKey(), entry.getValue()));
    return types;
  }

  private static ListedType.Recent readRecent(Row row) {
    return new ListedType.Recent(
        row.bigint("started"),
        row.bigint("completed"),
        row.bigint("failed"),
        seconds(row, "p95"),
        row.instantOrNull("last_failure_at"));
  }

  private static final String LIVE =
      """
      SELECT status, count(*) AS n FROM (
        SELECT status FROM kagzi.workflow_runs
        WHERE namespace_id = :namespace AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
          AND (:type::text IS NULL OR workflow_type = :type)
          AND (:taskQueue::text IS NULL OR task_queue = :taskQueue)
        LIMIT :maxLive) AS runs
      GROUP BY status
      """;

  /** Live runs by state, up to {@link #MAX_LIVE} of them. */
  public Map<RunStatus, Long> live(Transaction tx, Choice choice) {
    Map<RunStatus, Long> live = new EnumMap<>(RunStatus.class);
    tx.query(LIVE)
        .set("namespace", choice.namespace())
        .set("type", choice.workflowType())
        .set("taskQueue", choice.taskQueue())
        .set("maxLive", MAX_LIVE)
        .list(row -> Map.entry(RunStatus.valueOf(row.text("status")), row.bigint("n")))
        .forEach(entry -> live.put(entry.getKey(), entry.getValue()));
    return live;
  }

  private static final String WORKERS_ONLINE =
      """
      SELECT count(*)::int4 AS n FROM kagzi.workers
      WHERE namespace_id = :namespace AND status <> 'OFFLINE' AND status = 'ONLINE'
        AND (:taskQueue::text IS NULL OR task_queue = :taskQueue)
      """;

  public int workersOnline(Transaction tx, Choice choice) {
    return tx.query(WORKERS_ONLINE)
        .set("namespace", choice.namespace())
        .set("taskQueue", choice.taskQueue())
        .only(row -> row.integer("n"));
  }

  private static final String SCHEDULES_LATE =
      """
      SELECT count(*)::int4 AS n FROM (
        SELECT 1 FROM kagzi.workflow_runs
        WHERE status = 'SCHEDULED' AND available_at < :before AND namespace_id = :namespace
        LIMIT :maxRuns) AS late
      """;

  /** Schedules that should have fired a while ago. */
  public int schedulesLate(Transaction tx, Choice choice) {
    return tx.query(SCHEDULES_LATE)
        .set("namespace", choice.namespace())
        .set("before", choice.to().minus(LATE))
        .set("maxRuns", MAX_RUNS)
        .only(row -> row.integer("n"));
  }

  private static final String ALL_SCHEDULES_LATE =
      """
      SELECT count(*)::int4 AS n FROM (
        SELECT 1 FROM kagzi.workflow_runs t
        JOIN kagzi.namespaces n ON n.namespace_id = t.namespace_id AND n.enabled
        WHERE t.status = 'SCHEDULED' AND t.available_at < :before
        LIMIT :maxRuns) AS late
      """;

  /** The same in all namespaces but those that are disabled, where nothing is to fire. */
  public int schedulesLate(Transaction tx, Instant now) {
    return tx.query(ALL_SCHEDULES_LATE)
        .set("before", now.minus(LATE))
        .set("maxRuns", MAX_RUNS)
        .only(row -> row.integer("n"));
  }
}
