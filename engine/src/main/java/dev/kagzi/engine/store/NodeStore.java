package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.UUID;

/** Server processes and the database's clock. */
public final class NodeStore {

  /** What one look at the database tells. */
  public record Look(
      Instant databaseTime, boolean leasesExpired, boolean othersLive, boolean othersSilent) {}

  /** Beat, clock sample and lease look share one statement, so that an idle server stays quiet. */
  private static final String BEAT =
      """
      WITH beat AS (
        INSERT INTO kagzi.nodes (node_id, hostname, pid, version, started_at, last_beat_at)
        VALUES (:nodeId, :hostname, :pid, :version, :now, :now)
        ON CONFLICT (node_id) DO UPDATE SET last_beat_at = EXCLUDED.last_beat_at
      )
      SELECT clock_timestamp() AS database_time,
             EXISTS (SELECT 1 FROM kagzi.workflow_runs
                     WHERE status = 'RUNNING' AND lease_until < :expiredBefore) AS leases_expired,
             EXISTS (SELECT 1 FROM kagzi.nodes
                     WHERE node_id <> :nodeId AND last_beat_at > :othersSince) AS others_live,
             EXISTS (SELECT 1 FROM kagzi.nodes
                     WHERE node_id <> :nodeId AND last_beat_at < :silentSince) AS others_silent
      """;

  /** Up to when a lease, a living and a silent server count. */
  public record Moments(Instant leasesExpiredBefore, Instant othersSince, Instant silentSince) {}

  /** Who beats. */
  public record Node(UUID nodeId, String hostname, long pid, String version) {}

  public Look beat(Transaction tx, Node node, Moments moments, Instant now) {
    return tx.query(BEAT)
        .set("nodeId", node.nodeId())
        .set("hostname", node.hostname())
        .set("pid", node.pid())
        .set("version", node.version())
        .set("expiredBefore", moments.leasesExpiredBefore())
        .set("othersSince", moments.othersSince())
        .set("silentSince", moments.silentSince())
        .set("now", now)
        .only(row ->
            new Look(
                row.instant("database_time"),
                row.bool("leases_expired"),
                row.bool("others_live"),
                row.bool("others_silent")));
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
