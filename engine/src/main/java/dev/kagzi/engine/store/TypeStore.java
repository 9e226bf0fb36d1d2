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

  /** Workers that are gone and still looked at, the newest: they pile up where workers crash. */
  private static final int MAX_OFFLINE = 10_000;

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
   * Registered types and those of live runs, by name; for each a line of its own, and one for each
   * version that a worker has registered or a live run is pinned to. Runs and workers are read once
   * and what is told about them is put together by grouping. A join would be planned for the few
   * types and workers that most have, and read all of these again for each of those.
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
      ), named AS MATERIALIZED (
        SELECT workflow_type, max(default_version) AS default_version,
               max(home_queue) AS home_queue
        FROM ((SELECT workflow_type, default_version, home_queue FROM kagzi.workflow_types
               WHERE namespace_id = :namespace AND workflow_type %1$s :name
                 AND (:type::text IS NULL OR workflow_type = :type)
               ORDER BY workflow_type %2$s
               LIMIT :limit)
              UNION ALL
              SELECT workflow_type, '', '' FROM used WHERE workflow_type %1$s :name) AS known
        GROUP BY workflow_type
        ORDER BY workflow_type %2$s
        LIMIT :limit
      ), page AS MATERIALIZED (
        SELECT min(workflow_type) AS first, max(workflow_type) AS last FROM named
      ), registered AS (
        SELECT status, registered_at, unnest(workflow_types) COLLATE "C" AS workflow_type,
               unnest(versions) COLLATE "C" AS version
        FROM (SELECT status, registered_at, workflow_types, versions FROM kagzi.workers
              WHERE namespace_id = :namespace AND status <> 'OFFLINE'
              UNION ALL
              (SELECT status, registered_at, workflow_types, versions FROM kagzi.workers
               WHERE namespace_id = :namespace AND status = 'OFFLINE'
               ORDER BY worker_id DESC
               LIMIT :maxOffline)) AS workers
      ), versions AS (
        SELECT workflow_type, version, (status = 'ONLINE')::int4 AS workers_online,
               0 AS live_runs, registered_at
        FROM registered
        UNION ALL
        SELECT workflow_type, version, 0, live_runs, NULL FROM used
      )
      SELECT workflow_type, NULL AS version, default_version, home_queue, 0 AS workers_online,
             0::int8 AS live_runs, NULL::timestamptz AS first_registered_at,
             NULL::timestamptz AS last_registered_at
      FROM named
      UNION ALL
      SELECT workflow_type, version, '', '', sum(workers_online)::int4, sum(live_runs)::int8,
             min(registered_at), max(registered_at)
      FROM versions
      WHERE workflow_type >= (SELECT first FROM page) AND workflow_type <= (SELECT last FROM page)
      GROUP BY workflow_type, version
      ORDER BY workflow_type %2$s, version NULLS FIRST
      """;

  private static final String LIST_AFTER = LIST.formatted(">", "ASC");
  private static final String LIST_BEFORE = LIST.formatted("<", "DESC");

  /**
   * Types on one side of a name, nearest first.
   *
   * @param type the only one that is wanted, or null
   */
  public List<ListedType> list(
      Transaction tx,
      String namespace,
      @Nullable String type,
      boolean after,
      String name,
      int limit) {
    Map<String, ListedType> types = new LinkedHashMap<>();
    tx.query(after ? LIST_AFTER : LIST_BEFORE)
        .set("namespace", namespace)
        .set("type", type)
        .set("name", name)
        .set("limit", limit)
        .set("maxRuns", MAX_RUNS)
        .set("maxOffline", MAX_OFFLINE)
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
