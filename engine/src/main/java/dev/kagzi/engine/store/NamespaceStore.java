package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Optional;

/** Namespaces. */
public final class NamespaceStore {

  private static final String IS_ENABLED =
      "SELECT enabled FROM kagzi.namespaces WHERE namespace_id = :namespace";

  /** Whether a namespace takes work; empty if it does not exist. */
  public Optional<Boolean> isEnabled(Transaction tx, String namespace) {
    return tx.query(IS_ENABLED).set("namespace", namespace).first(row -> row.bool("enabled"));
  }

  private static final String INSERT_IF_MISSING =
      """
      INSERT INTO kagzi.namespaces (namespace_id, created_at, updated_at)
      VALUES (:namespace, :now, :now)
      ON CONFLICT (namespace_id) DO NOTHING
      """;

  public void insertIfMissing(Transaction tx, String namespace, Instant now) {
    tx.query(INSERT_IF_MISSING).set("namespace", namespace).set("now", now).update();
  }
}
