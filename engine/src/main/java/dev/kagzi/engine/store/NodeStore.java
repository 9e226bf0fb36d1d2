package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Server processes and the database's clock. */
public final class NodeStore {

  /**
   * What one look at the database tells.
   *
   * @param databaseSince since when the server that answers has been running
   * @param workersSilent whether a worker has been silent for too long or a run is held by one that
   *     is gone; false where that was not looked at
   * @param nextDeadline when the next run, live or stopping, runs out of time
   * @param nextStepTimeout when the next announced attempt does
   * @param orphans whether an ended run has left children that nobody has looked after
   * @param nextFiring when the next schedule fires
   */
  public record Look(
      Instant databaseTime,
      Instant databaseSince,
      boolean leasesExpired,
      boolean othersLive,
      boolean othersSilent,
      boolean workersSilent,
      @Nullable Instant nextDeadline,
      @Nullable Instant nextStepTimeout,
      boolean orphans,
      @Nullable Instant nextFiring) {}

  /** Beat, clock sample and all looks share one statement, so that an idle server stays quiet. */
  private static final String BEAT =
      """
      WITH beat AS (
        INSERT INTO kagzi.nodes (
          node_id, hostname, pid, version, embedded, started_at, last_beat_at)
        VALUES (:nodeId, :hostname, :pid, :version, :embedded, :now, :now)
        ON CONFLICT (node_id) DO UPDATE SET last_beat_at = EXCLUDED.last_beat_at
      )
      SELECT clock_timestamp() AS database_time, pg_postmaster_start_time() AS database_since,
             EXISTS (SELECT 1 FROM kagzi.workflow_runs
                     WHERE locked_by IS NOT NULL AND lease_until < :expiredBefore) AS leases_expired,
             EXISTS (SELECT 1 FROM kagzi.nodes
                     WHERE node_id <> :nodeId AND last_beat_at > :othersSince) AS others_live,
             EXISTS (SELECT 1 FROM kagzi.nodes
                     WHERE node_id <> :nodeId AND last_beat_at < :silentSince) AS others_silent,
             :workersSilentSince::timestamptz IS NOT NULL AND (
               EXISTS (SELECT 1 FROM kagzi.workers
                       WHERE last_heartbeat_at < :workersSilentSince AND status <> 'OFFLINE')
               OR EXISTS (SELECT 1 FROM kagzi.workflow_runs r
                          JOIN kagzi.workers w ON w.worker_id = r.locked_by
                          WHERE r.locked_by IS NOT NULL AND w.status = 'OFFLINE'))
               AS workers_silent,
             LEAST(
               (SELECT min(deadline_at) FROM kagzi.workflow_runs
                WHERE deadline_at IS NOT NULL AND stop_requested IS NULL),
               (SELECT min(stop_requested_at) + :patienceMillis * interval '1 millisecond'
                FROM kagzi.workflow_runs WHERE stop_requested IS NOT NULL)) AS next_deadline,
             (SELECT min(timeout_at) FROM kagzi.running_steps WHERE timeout_at IS NOT NULL)
               AS next_step_timeout,
             EXISTS (SELECT 1 FROM kagzi.ended_parents) AS orphans,
             (SELECT min(available_at) FROM kagzi.workflow_runs WHERE status = 'SCHEDULED')
               AS next_firing
      """;

  /**
   * Up to when a lease, a living and a silent server count, and a silent worker.
   *
   * @param workersSilentSince null if nobody wants to know about workers now
   */
  public record Moments(
      Instant leasesExpiredBefore,
      Instant othersSince,
      Instant silentSince,
      @Nullable Instant workersSilentSince) {}

  /**
   * Who beats.
   *
   * @param embedded it lives inside an application
   */
  public record Node(UUID nodeId, String hostname, long pid, String version, boolean embedded) {}

  private static final String MAKE_A_TABLE =
      "CREATE TEMPORARY TABLE kagzi_room (filler bigint) ON COMMIT DROP";

  /** About two megabytes, in pages that must be new. */
  private static final String FILL_IT =
      "INSERT INTO pg_temp.kagzi_room SELECT generate_series(1, 50000)";

  /** Fails if the disk has no room for something new; leaves nothing behind. */
  public void tryRoom(Transaction tx) {
    tx.query(MAKE_A_TABLE).update();
    tx.query(FILL_IT).update();
  }

  public Look beat(Transaction tx, Node node, Moments moments, Instant now) {
    return tx.query(BEAT)
        .set("nodeId", node.nodeId())
        .set("hostname", node.hostname())
        .set("pid", node.pid())
        .set("version", node.version())
        .set("embedded", node.embedded())
        .set("expiredBefore", moments.leasesExpiredBefore())
        .set("othersSince", moments.othersSince())
        .set("silentSince", moments.silentSince())
        .set("workersSilentSince", moments.workersSilentSince())
        .set("patienceMillis", StopRequest.PATIENCE.toMillis())
        .set("now", now)
        .only(row ->
            new Look(
                row.instant("database_time"),
                row.instant("database_since"),
                row.bool("leases_expired"),
                row.bool("others_live"),
                row.bool("others_silent"),
                row.bool("workers_silent"),
                row.instantOrNull("next_deadline"),
                row.instantOrNull("next_step_timeout"),
                row.bool("orphans"),
                row.instantOrNull("next_firing")));
  }

  private static final String REMOVE = "DELETE FROM kagzi.nodes WHERE node_id = :nodeId";

  public void remove(Transaction tx, UUID nodeId) {
    tx.query(REMOVE).set("nodeId", nodeId).update();
  }

  private static final String CLOCK = "SELECT clock_timestamp() AS database_time";

  public Instant databaseTime(Transaction tx) {
    return tx.query(CLOCK).only(row -> row.instant("database_time"));
  }
}
