package dev.kagzi.bench.kagzi;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.embedded.Kagzi;

/** Kagzi's tables without Kagzi. Stateless. */
public final class KagziSchema {
  private KagziSchema() {}

  /** Makes them, today's partitions included. */
  public static void create(String database) {
    try (var pool = new HikariDataSource()) {
      pool.setJdbcUrl(database);
      Kagzi.embedded(pool).start().close();
    }
  }
}
