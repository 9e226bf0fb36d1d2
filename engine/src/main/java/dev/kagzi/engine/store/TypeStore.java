package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.ListedType;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Workflow types: their default versions, and which versions are served and used. */
public final class TypeStore {

  /** Live runs that are looked at to find and count what is used. */
  private static final int MAX_RUNS = 100_000;

  private static final String LOCK_DEFAULT =
      """
      SELECT default_version FROM kagzi.workflow_types
      WHERE namespace_id = :namespace AND workflow_type = :type
      FOR NO KEY UPDATE
      """;

  /** The default version of a type, kept from changing; empty if nobody has registered it. */
  public Optional<String> lockDefault(Transaction tx, String namespace, String type) {
    return tx.query(LOCK_DEFAULT)
        .set("namespace", namespace)
        .set("type", type)
        .first(row -> row.text("default_version"));
  }

  private static final String SET_DEFAULT =
      """
      UPDATE kagzi.workflow_types
      SET default_version = :version, updated_at = :now
      WHERE namespace_id = :namespace AND workflow_type = :type
      """;

  public void setDefault(
      Transaction tx, String namespace, String type, String version, Instant now) {
    tx.query(SET_DEFAULT)
        .set("namespace", namespace)
        .set("type", type)
        .set("version", version)
        .set("now", now)
        .update();
  }

  /**
   * Registered types and those of live runs, by name; for each, the versions that a worker has
   * registered or a live run is pinned to.
   */
  private static final String LIST =
      """
      WITH used AS MATERIALIZED (
        SELECT workflow_type, version, count(*) AS live_runs
        FROM (SELECT workflow_type, version FROM kagzi.workflow_runs
              WHERE namespace_id = :namespace AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
                AND (:type::text IS NULL OR workflow_type = :type)
              LIMIT :maxRuns) AS runs
        GROUP BY workflow_type, version
      ), page AS MATERIALIZED (
        SELECT workflow_type FROM kagzi.workflow_types WHERE namespace_id = :namespace
        UNION
        SELECT workflow_type FROM used
      ), named AS MATERIALIZED (
        SELECT workflow_type FROM page
        WHERE workflow_type > :after AND (:type::text IS NULL OR workflow_type = :type)
        ORDER BY workflow_type
        LIMIT :limit
      ), served AS MATERIALIZED (
        SELECT s.workflow_type, s.version,
               count(*) FILTER (WHERE w.status = 'ONLINE') AS workers_online,
               min(w.registered_at) AS first_registered_at,
               max(w.registered_at) AS last_registered_at
        FROM kagzi.workers w
        CROSS JOIN LATERAL unnest(w.workflow_types, w.versions) AS s(workflow_type, version)
        JOIN named USING (workflow_type)
        WHERE w.namespace_id = :namespace
        GROUP BY s.workflow_type, s.version
      )
      SELECT n.workflow_type, COALESCE(t.default_version, '') AS default_version,
             COALESCE(t.home_queue, '') AS home_queue, v.version,
             COALESCE(v.workers_online, 0)::int4 AS workers_online,
             COALESCE(v.live_runs, 0)::int8 AS live_runs, v.first_registered_at,
             v.last_registered_at
      FROM named n
      LEFT JOIN kagzi.workflow_types t
             ON t.namespace_id = :namespace AND t.workflow_type = n.workflow_type
      LEFT JOIN (
        SELECT workflow_type, version, workers_online, live_runs, first_registered_at,
               last_registered_at
        FROM served FULL JOIN used USING (workflow_type, version)) v
             ON v.workflow_type = n.workflow_type
      ORDER BY n.workflow_type, v.version
      """;

  /**
   * Types after a name, in the order of their names.
   *
   * @param type the only one that is wanted, or null
   */
  public List<ListedType> list(
      Transaction tx, String namespace, @Nullable String type, String after, int limit) {
    Map<String, ListedType> types = new LinkedHashMap<>();
    tx.query(LIST)
        .set("namespace", namespace)
        .set("type", type)
        .set("after", after)
        .set("limit", limit)
        .set("maxRuns", MAX_RUNS)
        .list(TypeStore::readLine)
        .forEach(line -> types.merge(line.workflowType(), line, TypeStore::both));
    return List.copyOf(types.values());
  }

  private static ListedType readLine(Row row) {
    String version = row.textOrNull("version");
    return new ListedType(
        row.text("workflow_type"),
        row.text("default_version"),
        row.text("home_queue"),
        version == null
            ? List.of()
            : List.of(
                new ListedType.Version(
                    version,
                    row.integer("workers_online"),
                    row.bigint("live_runs"),
                    row.instantOrNull("first_registered_at"),
                    row.instantOrNull("last_registered_at"))),
        ListedType.Recent.NONE);
  }

  private static ListedType both(ListedType one, ListedType other) {
    List<ListedType.Version> versions = new ArrayList<>(one.versions());
    versions.addAll(other.versions());
    return new ListedType(
        one.workflowType(), one.defaultVersion(), one.homeQueue(), versions, one.recent());
  }

  private static final String COUNT =
      "SELECT count(*) AS types FROM kagzi.workflow_types WHERE namespace_id = :namespace";

  /** How many types have been registered. */
  public long count(Transaction tx, String namespace) {
    return tx.query(COUNT).set("namespace", namespace).only(row -> row.bigint("types"));
  }

  private static final String IS_KNOWN =
      """
      SELECT EXISTS (
        SELECT 1 FROM kagzi.workflow_types
        WHERE namespace_id = :namespace AND workflow_type = :type) AS known
      """;

  public boolean isKnown(Transaction tx, String namespace, String type) {
    return tx.query(IS_KNOWN)
        .set("namespace", namespace)
        .set("type", type)
        .only(row -> row.bool("known"));
  }

  private static final String NAMES =
      """
      SELECT workflow_type FROM kagzi.workflow_types
      WHERE namespace_id = :namespace
      ORDER BY workflow_type
      LIMIT :limit
      """;

  /** The first of them by name. */
  public List<String> names(Transaction tx, String namespace, int limit) {
    return tx.query(NAMES)
        .set("namespace", namespace)
        .set("limit", limit)
        .list(row -> row.text("workflow_type"));
  }
}
