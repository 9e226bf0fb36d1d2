package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.ListedWorker;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.domain.WorkerStatus;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Workers for people: lists of them, what they hold, what happened to them, and their removal. */
public final class WorkerListStore {

  private static final String COLUMNS =
      """
      worker_id, namespace_id, task_queue, status, hostname, pid, instance_id, build_version,
      sdk_name, sdk_version, runtime, array_to_json(workflow_types) AS workflow_types,
      array_to_json(versions) AS versions, max_concurrent, active_count, total_completed,
      total_failed, labels, node_id, registered_at, last_heartbeat_at, deregistered_at\
      """;

  /**
   * Which workers are wanted.
   *
   * @param taskQueue the only queue, or null
   */
  public record Choice(
      String namespace, @Nullable String taskQueue, Collection<WorkerStatus> statuses) {

    private Query bind(Query query) {
      return query
          .set("namespace", namespace)
          .set("taskQueue", taskQueue)
          .texts("statuses", statuses, WorkerStatus::name);
    }
  }

  private static final String LIST =
      """
      SELECT %s FROM kagzi.workers
      WHERE namespace_id = :namespace AND (:taskQueue::text IS NULL OR task_queue = :taskQueue)
        AND status = ANY(:statuses::text[]) AND worker_id %s :beyond
      ORDER BY worker_id %s
      LIMIT :limit
      """;
  private static final Map<Direction, String> LISTS =
      Map.of(
          Direction.OLDER, LIST.formatted(COLUMNS, "<", "DESC"),
          Direction.NEWER, LIST.formatted(COLUMNS, ">", "ASC"));

  /** Workers beyond a position, nearest first. */
  public List<ListedWorker> list(Transaction tx, Choice choice, Position from, int limit) {
    return choice
        .bind(tx.query(LISTS.getOrDefault(from.direction(), "")))
        .set("beyond", from.beyond().value())
        .set("limit", limit)
        .list(WorkerListStore::read);
  }

  private static final String COUNT =
      """
      SELECT count(*)::int4 AS n FROM (
        SELECT 1 FROM kagzi.workers
        WHERE namespace_id = :namespace AND (:taskQueue::text IS NULL OR task_queue = :taskQueue)
          AND status = ANY(:statuses::text[])
        LIMIT :limit) AS counted
      """;

  /** How many workers there are, up to a limit. */
  public int count(Transaction tx, Choice choice, int limit) {
    return choice.bind(tx.query(COUNT)).set("limit", limit).only(row -> row.integer("n"));
  }

  private static final String FIND =
      """
      SELECT %s FROM kagzi.workers
      WHERE worker_id = :worker AND namespace_id = :namespace
      """
          .formatted(COLUMNS);

  public Optional<ListedWorker> find(Transaction tx, String namespace, WorkerId worker) {
    return tx.query(FIND)
        .set("worker", worker.value())
        .set("namespace", namespace)
        .first(WorkerListStore::read);
  }

  private static final String HELD_BY =
      """
      SELECT %s FROM kagzi.workflow_runs r
      WHERE status = 'RUNNING' AND locked_by = :worker AND namespace_id = :namespace
      ORDER BY run_id DESC
      LIMIT :limit
      """
          .formatted(RunRows.LIVE);

  /** The runs that a worker holds, newest first. */
  public List<Run> heldBy(Transaction tx, String namespace, WorkerId worker, int limit) {
    return tx.query(HELD_BY)
        .set("worker", worker.value())
        .set("namespace", namespace)
        .set("limit", limit)
        .list(RunRows::read);
  }

  private static final String EVENTS =
      """
      SELECT event, at, COALESCE(reason, '') AS reason FROM kagzi.worker_events
      WHERE worker_id = :worker AND namespace_id = :namespace
      ORDER BY at DESC, event DESC
      LIMIT :limit
      """;

  /** What happened to a worker, newest first. */
  public List<ListedWorker.Event> events(
      Transaction tx, String namespace, WorkerId worker, int limit) {
    return tx.query(EVENTS)
        .set("worker", worker.value())
        .set("namespace", namespace)
        .set("limit", limit)
        .list(row ->
            new ListedWorker.Event(row.text("event"), row.instant("at"), row.text("reason")));
  }

  private static final String PRUNE =
      """
      WITH gone AS MATERIALIZED (
        SELECT worker_id FROM kagzi.workers
        WHERE status = 'OFFLINE' AND COALESCE(deregistered_at, last_heartbeat_at) < :before
        ORDER BY worker_id
        LIMIT :limit
        FOR UPDATE SKIP LOCKED
      ), forgotten AS (
        DELETE FROM kagzi.worker_events e USING gone WHERE e.worker_id = gone.worker_id
      )
      DELETE FROM kagzi.workers w USING gone WHERE w.worker_id = gone.worker_id
      """;

  /** Removes workers that have been offline since before a moment, and their events. */
  public int prune(Transaction tx, Instant offlineBefore, int limit) {
    return tx.query(PRUNE).set("before", offlineBefore).set("limit", limit).update();
  }

  private static ListedWorker read(Row row) {
    return new ListedWorker(
        new WorkerId(row.uuid("worker_id")),
        WorkerStatus.valueOf(row.text("status")),
        new WorkerRegistration(
            new QueueKey(row.text("namespace_id"), row.text("task_queue")),
            readTypes(row),
            row.integer("max_concurrent"),
            new WorkerRegistration.Location(
                row.text("hostname"),
                row.bigint("pid"),
                row.text("instance_id"),
                row.uuidOrNull("node_id")),
            new WorkerRegistration.Software(
                row.text("build_version"),
                row.text("sdk_name"),
                row.text("sdk_version"),
                row.text("runtime")),
            Json.toMap(row.textOrNull("labels"))),
        new ListedWorker.Tally(
            row.integer("active_count"), row.bigint("total_completed"), row.bigint("total_failed")),
        row.instant("registered_at"),
        row.instant("last_heartbeat_at"),
        row.instantOrNull("deregistered_at"));
  }

  private static List<TypeVersion> readTypes(Row row) {
    List<String> types = Json.toTexts(row.text("workflow_types"));
    List<String> versions = Json.toTexts(row.text("versions"));
    List<TypeVersion> served = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      served.add(new TypeVersion(types.get(i), versions.get(i)));
    }
    return served;
  }
}
