package dev.kagzi.bench.system;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a system has used up to a moment, or between two. Immutable.
 *
 * @param cpuMillis processor time by part, such as {@code server}
 * @param database what its PostgreSQL has done, by name; empty where there is none to ask
 */
public record Usage(Map<String, Double> cpuMillis, Map<String, Double> database) {
  /** Bytes of the write-ahead log. */
  public static final String WAL_BYTES = "wal_bytes";

  /** Transactions of all kinds. */
  public static final String TRANSACTIONS = "tx";

  /** Transactions that have written something. */
  public static final String WRITING_TRANSACTIONS = "write_tx";

  /** What was used since an earlier moment. */
  public Usage since(Usage earlier) {
    return new Usage(minus(cpuMillis, earlier.cpuMillis), minus(database, earlier.database));
  }

  private static Map<String, Double> minus(Map<String, Double> now, Map<String, Double> before) {
    var rest = new LinkedHashMap<String, Double>();
    now.forEach((name, value) -> rest.put(name, value - before.getOrDefault(name, 0.0)));
    return rest;
  }
}
