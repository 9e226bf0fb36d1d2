package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Namespaces. */
public final class NamespaceStore {

  private static final String COLUMNS =
      """
      namespace_id, description, enabled, disable_reason, retention_days, labels, created_at,
      updated_at\
      """;

  private static final String IS_ENABLED =
      "SELECT enabled FROM kagzi.namespaces WHERE namespace_id = :namespace";

  /** Whether a namespace takes work; empty if it does not exist. */
  public Optional<Boolean> isEnabled(Transaction tx, String namespace) {
    return tx.query(IS_ENABLED).set("namespace", namespace).first(row -> row.bool("enabled"));
  }

  private static final String INSERT_IF_MISSING =
      """
      INSERT INTO kagzi.namespaces (
        namespace_id, description, retention_days, labels, created_at, updated_at)
      VALUES (:namespace, :description, :retentionDays::int4, :labels::jsonb, :now, :now)
      ON CONFLICT (namespace_id) DO NOTHING
      """;

  /** Writes a namespace unless there is one of its name; says whether it did. */
  public boolean insertIfMissing(
      Transaction tx, String namespace, Namespace.Settings settings, Instant now) {
    return tx.query(INSERT_IF_MISSING)
            .set("namespace", namespace)
            .set("description", settings.description())
            .set("retentionDays", settings.retentionDays())
            .set("labels", Json.ofMap(settings.labels()))
            .set("now", now)
            .update()
        == 1;
  }

  private static final String FIND =
      "SELECT %s FROM kagzi.namespaces WHERE namespace_id = :namespace".formatted(COLUMNS);

  public Optional<Namespace> find(Transaction tx, String namespace) {
    return tx.query(FIND).set("namespace", namespace).first(NamespaceStore::read);
  }

  private static final String LOCK = FIND + " FOR NO KEY UPDATE";

  public Optional<Namespace> lock(Transaction tx, String namespace) {
    return tx.query(LOCK).set("namespace", namespace).first(NamespaceStore::read);
  }

  private static final String UPDATE =
      """
      UPDATE kagzi.namespaces
      SET description = :description, retention_days = :retentionDays::int4,
          labels = :labels::jsonb, updated_at = :now
      WHERE namespace_id = :namespace
      """;

  public void update(Transaction tx, String namespace, Namespace.Settings settings, Instant now) {
    tx.query(UPDATE)
        .set("namespace", namespace)
        .set("description", settings.description())
        .set("retentionDays", settings.retentionDays())
        .set("labels", Json.ofMap(settings.labels()))
        .set("now", now)
        .update();
  }

  private static final String SET_ENABLED =
      """
      UPDATE kagzi.namespaces
      SET enabled = :enabled, disable_reason = :reason, updated_at = :now
      WHERE namespace_id = :namespace
      """;

  public void setEnabled(
      Transaction tx, String namespace, boolean enabled, String disableReason, Instant now) {
    tx.query(SET_ENABLED)
        .set("namespace", namespace)
        .set("enabled", enabled)
        .set("reason", disableReason)
        .set("now", now)
        .update();
  }

  private static final String AFTER =
      """
      SELECT %s FROM kagzi.namespaces
      WHERE namespace_id > :name
      ORDER BY namespace_id
      LIMIT :limit
      """
          .formatted(COLUMNS);
  private static final String BEFORE =
      """
      SELECT %s FROM kagzi.namespaces
      WHERE namespace_id < :name
      ORDER BY namespace_id DESC
      LIMIT :limit
      """
          .formatted(COLUMNS);

  /** Namespaces on one side of a name, nearest first. */
  public List<Namespace> list(Transaction tx, boolean after, String name, int limit) {
    return tx.query(after ? AFTER : BEFORE)
        .set("name", name)
        .set("limit", limit)
        .list(NamespaceStore::read);
  }

  private static final String COUNT =
      """
      SELECT count(*)::int4 AS n
      FROM (SELECT 1 FROM kagzi.namespaces LIMIT :limit) AS counted
      """;

  /** How many there are, up to a limit. */
  public int count(Transaction tx, int limit) {
    return tx.query(COUNT).set("limit", limit).only(row -> row.integer("n"));
  }

  private static Namespace read(Row row) {
    String days = row.textOrNull("retention_days");
    return new Namespace(
        row.text("namespace_id"),
        new Namespace.Settings(
            row.text("description"),
            days == null ? null : Integer.valueOf(days),
            Json.toMap(row.textOrNull("labels"))),
        row.bool("enabled"),
        row.text("disable_reason"),
        row.instant("created_at"),
        row.instant("updated_at"));
  }
}
