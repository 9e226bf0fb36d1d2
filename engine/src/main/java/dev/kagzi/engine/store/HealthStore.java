package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What people want to know of the database and of those who use it. */
public final class HealthStore {

  /**
   * Who works.
   *
   * @param silent live ones that have not been heard of lately
   */
  public record Crew(int online, int draining, int silent) {}

  private static final String CREW =
      """
      SELECT count(*) FILTER (WHERE status = 'ONLINE')::int4 AS online,
             count(*) FILTER (WHERE status = 'DRAINING')::int4 AS draining,
             count(*) FILTER (WHERE last_heartbeat_at < :since)::int4 AS silent
      FROM kagzi.workers
      WHERE status <> 'OFFLINE'
      """;

  /** The live workers of all namespaces. */
  public Crew crew(Transaction tx, Instant silentSince) {
    return tx.query(CREW)
        .set("since", silentSince)
        .only(
            row -> new Crew(row.integer("online"), row.integer("draining"), row.integer("silent")));
  }

  private static final String HAS_SCHEMA_HISTORY =
      "SELECT to_regclass('kagzi.schema_history') IS NOT NULL AS known";
  private static final String SCHEMA_VERSION =
      """
      SELECT COALESCE(max(split_part(version, '.', 1)::int4), 0) AS version
      FROM kagzi.schema_history
      WHERE success AND version IS NOT NULL
      """;

  /** The version of the schema; empty where somebody else keeps it. */
  public Optional<Integer> schemaVersion(Transaction tx) {
    return tx.query(HAS_SCHEMA_HISTORY).only(row -> row.bool("known"))
        ? tx.query(SCHEMA_VERSION).first(row -> row.integer("version"))
        : Optional.empty();
  }

  /** The database as it describes itself. */
  public record Description(String version, List<String> capabilities) {}

  private static final String DESCRIPTION =
      """
      SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
             NOT pg_is_in_recovery() AS writable,
             current_setting('synchronous_commit') <> 'off' AND current_setting('fsync') = 'on'
               AS durable,
             current_setting('server_version_num')::int4 >= 140000 AS partitions
      """;

  public Description describe(Transaction tx) {
    return tx.query(DESCRIPTION)
        .only(row -> {
          List<String> capabilities = new ArrayList<>();
          if (row.bool("durable")) {
            capabilities.add("durable-commits");
          }
          if (row.bool("partitions")) {
            capabilities.add("partitions-detach-concurrently");
          }
          if (row.bool("writable")) {
            capabilities.add("writable");
          }
          return new Description(row.text("version"), List.copyOf(capabilities));
        });
  }

  /** A server process. */
  public record NodeRow(
      UUID nodeId,
      String hostname,
      String version,
      boolean embedded,
      Instant startedAt,
      Instant lastBeatAt) {}

  private static final String NODES =
      """
      SELECT node_id, hostname, version, embedded, started_at, last_beat_at
      FROM kagzi.nodes
      ORDER BY started_at DESC, node_id
      LIMIT :limit
      """;

  /** Server processes, newest first. */
  public List<NodeRow> nodes(Transaction tx, int limit) {
    return tx.query(NODES)
        .set("limit", limit)
        .list(row ->
            new NodeRow(
                row.uuid("node_id"),
                row.text("hostname"),
                row.text("version"),
                row.bool("embedded"),
                row.instant("started_at"),
                row.instant("last_beat_at")));
  }
}
