package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The registry of workers. */
public final class WorkerStore {

  private static final String REPLACE_OLDER =
      """
      WITH older AS MATERIALIZED (
        SELECT worker_id, status FROM kagzi.workers
        WHERE namespace_id = :namespace AND task_queue = :taskQueue AND hostname = :hostname
          AND pid = :pid AND instance_id = :instanceId
        ORDER BY worker_id
        FOR NO KEY UPDATE
      ), retired AS (
        UPDATE kagzi.workers w SET status = 'OFFLINE', deregistered_at = :now, active_count = 0
        FROM older
        WHERE w.worker_id = older.worker_id AND older.status <> 'OFFLINE'
      )
      SELECT worker_id FROM older
      """;

  /**
   * Retires earlier lives of the same process and returns their ids, also of those long retired.
   */
  public List<WorkerId> replaceOlder(Transaction tx, WorkerRegistration worker, Instant now) {
    return tx.query(REPLACE_OLDER)
        .set("namespace", worker.queue().namespace())
        .set("taskQueue", worker.queue().taskQueue())
        .set("hostname", worker.location().hostname())
        .set("pid", worker.location().pid())
        .set("instanceId", worker.location().instanceId())
        .set("now", now)
        .list(row -> new WorkerId(row.uuid("worker_id")));
  }

  private static final String INSERT =
      """
      INSERT INTO kagzi.workers (
        worker_id, namespace_id, task_queue, status, hostname, pid, instance_id, build_version,
        sdk_name, sdk_version, runtime, workflow_types, versions, max_concurrent, labels, node_id,
        registered_at, last_heartbeat_at)
      VALUES (
        :workerId, :namespace, :taskQueue, 'ONLINE', :hostname, :pid, :instanceId, :buildVersion,
        :sdkName, :sdkVersion, :runtime, :types, :versions, :maxConcurrent, :labels::jsonb,
        :nodeId, :now, :now)
      ON CONFLICT (namespace_id, task_queue, hostname, pid, instance_id) WHERE status <> 'OFFLINE'
        DO NOTHING
      """;

  /**
   * Adds a worker.
   *
   * @return false if the same process has registered meanwhile, which is then to be replaced
   */
  public boolean insert(Transaction tx, WorkerId workerId, WorkerRegistration worker, Instant now) {
    return tx.query(INSERT)
            .set("workerId", workerId.value())
            .set("namespace", worker.queue().namespace())
            .set("taskQueue", worker.queue().taskQueue())
            .set("hostname", worker.location().hostname())
            .set("pid", worker.location().pid())
            .set("instanceId", worker.location().instanceId())
            .set("buildVersion", worker.software().buildVersion())
            .set("sdkName", worker.software().sdkName())
            .set("sdkVersion", worker.software().sdkVersion())
            .set("runtime", worker.software().runtime())
            .texts("types", worker.types(), TypeVersion::workflowType)
            .texts("versions", worker.types(), TypeVersion::version)
            .set("maxConcurrent", worker.maxConcurrent())
            .set("labels", Json.ofMap(worker.labels()))
            .set("nodeId", worker.location().node())
            .set("now", now)
            .update()
        > 0;
  }

  /** The first registration of a type decides its default version and its home queue. */
  private static final String INSERT_TYPES =
      """
      INSERT INTO kagzi.workflow_types (
        namespace_id, workflow_type, default_version, home_queue, created_at, updated_at)
      SELECT DISTINCT ON (t.workflow_type)
             :namespace, t.workflow_type, t.version, :taskQueue, :now, :now
      FROM unnest(:types::text[], :versions::text[]) WITH ORDINALITY
        AS t(workflow_type, version, position)
      ORDER BY t.workflow_type, t.position
      ON CONFLICT (namespace_id, workflow_type) DO NOTHING
      """;

  public void insertTypes(Transaction tx, WorkerRegistration worker, Instant now) {
    tx.query(INSERT_TYPES)
        .set("namespace", worker.queue().namespace())
        .set("taskQueue", worker.queue().taskQueue())
        .texts("types", worker.types(), TypeVersion::workflowType)
        .texts("versions", worker.types(), TypeVersion::version)
        .set("now", now)
        .update();
  }

  /** A life ends once, and nothing happens after it. */
  private static final String INSERT_EVENTS =
      """
      INSERT INTO kagzi.worker_events (worker_id, event, namespace_id, reason, at)
      SELECT w.worker_id, :event, w.namespace_id, :reason, :now
      FROM kagzi.workers w
      WHERE w.worker_id = ANY(:workers::uuid[])
        AND NOT EXISTS (SELECT 1 FROM kagzi.worker_events e
                        WHERE e.worker_id = w.worker_id AND e.event IN ('STOPPED', 'OFFLINE'))
      ON CONFLICT DO NOTHING
      """;

  public void insertEvents(
      Transaction tx, Collection<WorkerId> workers, String event, String reason, Instant now) {
    tx.query(INSERT_EVENTS)
        .uuids("workers", workers, WorkerId::value)
        .set("event", event)
        .set("reason", reason)
        .set("now", now)
        .update();
  }

  /**
   * A sign of life, with what happened since the last accepted one.
   *
   * @param beatId tells a repeated beat; 0 if the worker does not number them
   */
  public record Beat(
      String namespace, WorkerId worker, long beatId, int active, long completed, long failed) {}

  private static final String BEAT =
      """
      WITH beating AS MATERIALIZED (
        SELECT w.worker_id, b.beat_id, b.active,
               CASE WHEN b.beat_id <> 0 AND b.beat_id = w.last_beat_id THEN 0 ELSE b.completed END
                 AS completed,
               CASE WHEN b.beat_id <> 0 AND b.beat_id = w.last_beat_id THEN 0 ELSE b.failed END
                 AS failed
        FROM unnest(:namespaces::text[], :workers::uuid[], :beatIds::int8[], :active::int4[],
                    :completed::int8[], :failed::int8[])
          AS b(namespace_id, worker_id, beat_id, active, completed, failed)
        JOIN kagzi.workers w
          ON w.worker_id = b.worker_id AND w.namespace_id = b.namespace_id
         AND w.status <> 'OFFLINE' AND w.worker_id = ANY(:workers::uuid[])
        ORDER BY w.worker_id
        FOR NO KEY UPDATE OF w
      )
      UPDATE kagzi.workers w
      SET last_heartbeat_at = GREATEST(w.last_heartbeat_at, :now), active_count = b.active,
          last_beat_id = b.beat_id, total_completed = w.total_completed + b.completed,
          total_failed = w.total_failed + b.failed
      FROM beating b
      WHERE w.worker_id = b.worker_id AND w.worker_id = ANY(:workers::uuid[])
      RETURNING w.worker_id, w.status = 'DRAINING' AS draining
      """;

  /** Records beats; the workers that are not in the answer are unknown or offline. */
  public Map<WorkerId, Boolean> beat(Transaction tx, List<Beat> beats, Instant now) {
    Map<WorkerId, Boolean> draining = new HashMap<>();
    tx.query(BEAT)
        .texts("namespaces", beats, Beat::namespace)
        .uuids("workers", beats, beat -> beat.worker().value())
        .longs("beatIds", beats, Beat::beatId)
        .ints("active", beats, Beat::active)
        .longs("completed", beats, Beat::completed)
        .longs("failed", beats, Beat::failed)
        .set("now", now)
        .list(row -> Map.entry(new WorkerId(row.uuid("worker_id")), row.bool("draining")))
        .forEach(entry -> draining.put(entry.getKey(), entry.getValue()));
    return draining;
  }

  private static final String SET_DRAINING =
      """
      UPDATE kagzi.workers SET status = 'DRAINING'
      WHERE worker_id = :worker AND namespace_id = :namespace AND status = 'ONLINE'
      """;

  public boolean setDraining(Transaction tx, String namespace, WorkerId worker) {
    return tx.query(SET_DRAINING).set("worker", worker.value()).set("namespace", namespace).update()
        == 1;
  }

  private static final String SET_OFFLINE =
      """
      UPDATE kagzi.workers SET status = 'OFFLINE', deregistered_at = :now, active_count = 0
      WHERE worker_id = :worker AND namespace_id = :namespace AND status <> 'OFFLINE'
      """;

  public boolean setOffline(Transaction tx, String namespace, WorkerId worker, Instant now) {
    return tx.query(SET_OFFLINE)
            .set("worker", worker.value())
            .set("namespace", namespace)
            .set("now", now)
            .update()
        == 1;
  }

  private static final String OPEN_STREAM =
      """
      UPDATE kagzi.workers SET streams = streams + 1
      WHERE worker_id = :worker AND namespace_id = :namespace AND status <> 'OFFLINE'
      RETURNING streams
      """;

  /** Numbers a new stream of a worker, whichever server it leads to. */
  public Optional<Long> openStream(Transaction tx, String namespace, WorkerId worker) {
    return tx.query(OPEN_STREAM)
        .set("worker", worker.value())
        .set("namespace", namespace)
        .first(row -> row.bigint("streams"));
  }

  private static final String SET_OFFLINE_IF_SILENT =
      """
      UPDATE kagzi.workers SET status = 'OFFLINE', deregistered_at = :now, active_count = 0
      WHERE worker_id = :worker AND status <> 'OFFLINE' AND last_heartbeat_at <= :since
        AND (:stream::int8 = 0 OR streams = :stream)
      """;

  /**
   * Declares a worker dead unless it has given a sign of life, here or at another server.
   *
   * @param stream the number of its stream that ended: a newer one is a sign of life; 0 if it had
   *     none
   */
  public boolean setOfflineIfSilent(
      Transaction tx, WorkerId worker, Instant since, long stream, Instant now) {
    return tx.query(SET_OFFLINE_IF_SILENT)
            .set("worker", worker.value())
            .set("since", since)
            .set("stream", stream)
            .set("now", now)
            .update()
        == 1;
  }

  private static final String SET_STALE_OFFLINE =
      """
      WITH stale AS MATERIALIZED (
        SELECT worker_id FROM kagzi.workers
        WHERE status <> 'OFFLINE' AND last_heartbeat_at < :before
        ORDER BY worker_id
        FOR NO KEY UPDATE
      )
      UPDATE kagzi.workers w SET status = 'OFFLINE', deregistered_at = :now, active_count = 0
      FROM stale
      WHERE w.worker_id = stale.worker_id
      RETURNING w.worker_id
      """;

  public List<WorkerId> setStaleOffline(Transaction tx, Instant before, Instant now) {
    return tx.query(SET_STALE_OFFLINE)
        .set("before", before)
        .set("now", now)
        .list(row -> new WorkerId(row.uuid("worker_id")));
  }

  private static final String FIND_STATUS =
      "SELECT status FROM kagzi.workers WHERE worker_id = :worker AND namespace_id = :namespace";

  /** ONLINE, DRAINING or OFFLINE; null if there is no such worker in the namespace. */
  public @Nullable String findStatus(Transaction tx, String namespace, WorkerId worker) {
    return tx.query(FIND_STATUS)
        .set("worker", worker.value())
        .set("namespace", namespace)
        .first(row -> row.text("status"))
        .orElse(null);
  }

  private static final String SET_OFFLINE_WITH_NODES =
      """
      WITH dead AS (
        DELETE FROM kagzi.nodes WHERE last_beat_at < :before RETURNING node_id
      )
      UPDATE kagzi.workers w
      SET status = 'OFFLINE', deregistered_at = :now, active_count = 0
      FROM dead
      WHERE w.node_id = dead.node_id AND w.status <> 'OFFLINE'
      RETURNING w.worker_id
      """;

  /** Forgets servers that have been silent, and declares the workers that lived in them dead. */
  public List<WorkerId> setOfflineWithNodes(Transaction tx, Instant silentBefore, Instant now) {
    return tx.query(SET_OFFLINE_WITH_NODES)
        .set("before", silentBefore)
        .set("now", now)
        .list(row -> new WorkerId(row.uuid("worker_id")));
  }
}
