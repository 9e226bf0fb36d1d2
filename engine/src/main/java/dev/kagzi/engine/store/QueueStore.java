package dev.kagzi.engine.store;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.ListedQueue;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Task queues: who waits in them and who serves them. Names, types and versions are found by
 * jumping from one to the next in the index of waiting runs, so that a page costs the same however
 * many runs wait.
 */
public final class QueueStore {

  /** Types and versions that are looked at in one call. */
  public static final int MAX_PAIRS = 5000;

  /** Runs of one kind that are looked at for the pace. */
  private static final int MAX_RECENT = 10_000;

  private static final Duration PACE_WINDOW = Duration.ofMinutes(5);

  /** Runs that take longer than this are missing in the pace. */
  private static final Duration LONGEST_RUN = Duration.ofHours(1);

  private static final String NAMES =
      """
      WITH RECURSIVE waiting AS (
        (SELECT task_queue FROM kagzi.workflow_runs
         WHERE namespace_id = :namespace AND status IN ('PENDING', 'SLEEPING')
           AND task_queue %1$s :name
         ORDER BY task_queue %2$s
         LIMIT 1)
        UNION ALL
        SELECT next.task_queue FROM waiting w
        CROSS JOIN LATERAL (
          SELECT task_queue FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND status IN ('PENDING', 'SLEEPING')
            AND task_queue %1$s w.task_queue
          ORDER BY task_queue %2$s
          LIMIT 1) next
      )
      SELECT task_queue FROM (
        (SELECT task_queue FROM waiting LIMIT :limit)
        UNION
        SELECT task_queue FROM kagzi.workers
        WHERE namespace_id = :namespace AND status <> 'OFFLINE' AND task_queue %1$s :name) AS queues
      ORDER BY task_queue %2$s
      LIMIT :limit
      """;
  private static final String NAMES_AFTER = NAMES.formatted(">", "ASC");

  /** Before a name; the walk goes backwards. */
  private static final String NAMES_BEFORE = NAMES.formatted("<", "DESC");

  /** Queues with waiting runs or live workers on one side of a name, nearest first. */
  public List<String> names(
      Transaction tx, String namespace, boolean after, String name, int limit) {
    return tx.query(after ? NAMES_AFTER : NAMES_BEFORE)
        .set("namespace", namespace)
        .set("name", name)
        .set("limit", limit)
        .list(row -> row.text("task_queue"));
  }

  private static final String NAMED =
      """
      SELECT asked.task_queue
      FROM (SELECT unnest(:queues::text[]) COLLATE "C" AS task_queue) AS asked
      WHERE asked.task_queue %1$s :name
        AND (EXISTS (SELECT 1 FROM kagzi.workflow_runs
                     WHERE namespace_id = :namespace AND task_queue = asked.task_queue
                       AND status IN ('PENDING', 'SLEEPING'))
          OR EXISTS (SELECT 1 FROM kagzi.workers
                     WHERE namespace_id = :namespace AND task_queue = asked.task_queue
                       AND status <> 'OFFLINE'))
      ORDER BY asked.task_queue %2$s
      LIMIT :limit
      """;
  private static final String NAMED_AFTER = NAMED.formatted(">", "ASC");
  private static final String NAMED_BEFORE = NAMED.formatted("<", "DESC");

  /** The same among some queues only. */
  public List<String> names(
      Transaction tx,
      String namespace,
      Collection<String> only,
      boolean after,
      String name,
      int limit) {
    return tx.query(after ? NAMED_AFTER : NAMED_BEFORE)
        .set("namespace", namespace)
        .texts("queues", only, queue -> queue)
        .set("name", name)
        .set("limit", limit)
        .list(row -> row.text("task_queue"));
  }

  /**
   * The waiting runs of one type and version.
   *
   * @param later those whose time has not come; of these some sleep, some wait for a retry
   */
  public record Waiting(
      String taskQueue,
      TypeVersion type,
      long ready,
      @Nullable Instant oldestReadyAt,
      long later,
      long sleeping,
      long retrying,
      boolean served) {}

  private static final String WAITING =
      """
      WITH RECURSIVE pairs AS (
        SELECT asked.task_queue, first.workflow_type, first.version
        FROM unnest(:queues::text[]) AS asked(task_queue)
        CROSS JOIN LATERAL (
          SELECT workflow_type, version FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND task_queue = asked.task_queue
            AND status IN ('PENDING', 'SLEEPING')
          ORDER BY workflow_type, version
          LIMIT 1) first
        UNION ALL
        SELECT p.task_queue, next.workflow_type, next.version
        FROM pairs p
        CROSS JOIN LATERAL (
          SELECT workflow_type, version FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND task_queue = p.task_queue
            AND status IN ('PENDING', 'SLEEPING')
            AND (workflow_type, version) > (p.workflow_type, p.version)
          ORDER BY workflow_type, version
          LIMIT 1) next
      )
      SELECT p.task_queue, p.workflow_type, p.version, ready.n AS ready, ready.oldest,
             later.n AS later, later.sleeping, later.retrying,
             EXISTS (
               SELECT 1 FROM kagzi.workers w
               CROSS JOIN LATERAL unnest(w.workflow_types, w.versions) AS s(workflow_type, version)
               WHERE w.namespace_id = :namespace AND w.task_queue = p.task_queue
                 AND w.status = 'ONLINE' AND s.workflow_type = p.workflow_type
                 AND s.version = p.version) AS served
      FROM (SELECT * FROM pairs LIMIT :maxPairs) p
      CROSS JOIN LATERAL (
        SELECT count(*) AS n, min(available_at) AS oldest FROM (
          SELECT available_at FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND task_queue = p.task_queue
            AND workflow_type = p.workflow_type AND version = p.version
            AND status IN ('PENDING', 'SLEEPING') AND available_at <= :now
          ORDER BY available_at
          LIMIT :limit) AS due) ready
      CROSS JOIN LATERAL (
        SELECT count(*) AS n, count(*) FILTER (WHERE status = 'SLEEPING') AS sleeping,
               count(*) FILTER (WHERE status = 'PENDING' AND wait_reason = 'RETRY') AS retrying
        FROM (
          SELECT status, wait_reason FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND task_queue = p.task_queue
            AND workflow_type = p.workflow_type AND version = p.version
            AND status IN ('PENDING', 'SLEEPING') AND available_at > :now
          ORDER BY available_at
          LIMIT :limit) AS waiting) later
      """;

  /**
   * The waiting runs of queues by type and version.
   *
   * @param limit up to which runs of one kind are counted
   */
  public List<Waiting> waiting(
      Transaction tx, String namespace, Collection<String> queues, int limit, Instant now) {
    return tx.query(WAITING)
        .set("namespace", namespace)
        .texts("queues", queues, name -> name)
        .set("limit", limit)
        .set("maxPairs", MAX_PAIRS)
        .set("now", now)
        .list(QueueStore::readWaiting);
  }

  private static Waiting readWaiting(Row row) {
    return new Waiting(
        row.text("task_queue"),
        new TypeVersion(row.text("workflow_type"), row.text("version")),
        row.bigint("ready"),
        row.instantOrNull("oldest"),
        row.bigint("later"),
        row.bigint("sleeping"),
        row.bigint("retrying"),
        row.bool("served"));
  }

  /** A run is held by a worker of its queue, whose slots limit how many there can be. */
  private static final String CREWS =
      """
      SELECT w.task_queue, count(*) FILTER (WHERE w.status = 'ONLINE')::int4 AS online,
             COALESCE(sum(w.max_concurrent) FILTER (WHERE w.status = 'ONLINE'), 0)::int4 AS slots,
             COALESCE(sum(held.n), 0)::int4 AS held
      FROM kagzi.workers w
      CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM kagzi.workflow_runs r
        WHERE r.status = 'RUNNING' AND r.locked_by = w.worker_id
          AND r.namespace_id = :namespace AND r.task_queue = w.task_queue) held
      WHERE w.namespace_id = :namespace AND w.status <> 'OFFLINE'
        AND w.task_queue = ANY(:queues::text[])
      GROUP BY w.task_queue
      """;

  /** The workers of queues, by queue; a slot that is used is a run that is held. */
  public Map<String, ListedQueue.Crew> crews(
      Transaction tx, String namespace, Collection<String> queues) {
    Map<String, ListedQueue.Crew> crews = new HashMap<>();
    tx.query(CREWS)
        .set("namespace", namespace)
        .texts("queues", queues, name -> name)
        .list(row ->
            Map.entry(
                row.text("task_queue"),
                new ListedQueue.Crew(
                    row.integer("online"), row.integer("held"), row.integer("slots"))))
        .forEach(entry -> crews.put(entry.getKey(), entry.getValue()));
    return crews;
  }

  private static final String PACES =
      """
      WITH seen AS MATERIALIZED (
        SELECT ended.* FROM unnest(ARRAY['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'])
          AS asked(status)
        CROSS JOIN LATERAL (
          SELECT task_queue, status, created_at, finished_at FROM kagzi.finished_runs
          WHERE namespace_id = :namespace AND status = asked.status AND run_id >= :from
          ORDER BY run_id DESC NULLS LAST
          LIMIT :limit) ended
        UNION ALL
        SELECT * FROM (
          SELECT task_queue, status, created_at, NULL::timestamptz FROM kagzi.workflow_runs
          WHERE namespace_id = :namespace AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
            AND run_id >= :recent
          ORDER BY run_id DESC
          LIMIT :limit) AS live
      )
      SELECT task_queue, count(*) FILTER (WHERE created_at >= :since) AS started,
             count(*) FILTER (WHERE finished_at >= :since) AS finished,
             count(*) FILTER (WHERE finished_at >= :since AND status IN ('FAILED', 'TIMED_OUT'))
               AS failed
      FROM seen
      WHERE task_queue = ANY(:queues::text[])
      GROUP BY task_queue
      """;

  /** What went through queues lately, by queue, as far as the newest runs tell. */
  public Map<String, ListedQueue.Pace> paces(
      Transaction tx, String namespace, Collection<String> queues, Instant now) {
    Instant since = now.minus(PACE_WINDOW);
    double minutes = PACE_WINDOW.toMinutes();
    Map<String, ListedQueue.Pace> paces = new HashMap<>();
    tx.query(PACES)
        .set("namespace", namespace)
        .texts("queues", queues, name -> name)
        .set("from", TimeOrderedIds.floor(since.minus(LONGEST_RUN)))
        .set("recent", TimeOrderedIds.floor(since))
        .set("since", since)
        .set("limit", MAX_RECENT)
        .list(row ->
            Map.entry(
                row.text("task_queue"),
                new ListedQueue.Pace(
                    row.bigint("started") / minutes,
                    row.bigint("finished") / minutes,
                    row.bigint("failed") / minutes)))
        .forEach(entry -> paces.put(entry.getKey(), entry.getValue()));
    return paces;
  }
}
