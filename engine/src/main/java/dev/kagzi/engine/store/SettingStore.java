package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;

/** What all servers of one database share. */
public final class SettingStore {

  private static final String INSERT_IF_MISSING =
      """
      INSERT INTO kagzi.settings (name, value, updated_at)
      VALUES (:name, :value, :now)
      ON CONFLICT (name) DO NOTHING
      """;

  private static final String FIND = "SELECT value FROM kagzi.settings WHERE name = :name";

  /** The value that counts: the one offered, unless another server was first. */
  public byte[] offer(Transaction tx, String name, byte[] value, Instant now) {
    tx.query(INSERT_IF_MISSING).set("name", name).set("value", value).set("now", now).update();
    return tx.query(FIND).set("name", name).only(row -> row.bytes("value"));
  }
}
