package dev.kagzi.bench.system;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The systems that can be measured; their names are part of the keys of figures. */
public enum SystemName {
  /** Kagzi with a server process and a worker process. */
  REMOTE(false),
  /** Kagzi inside the application. */
  EMBEDDED(false),
  DBOS(true),
  RESTATE(true),
  /** PostgreSQL alone: the rows that Kagzi writes, each operation a transaction. */
  FLOOR_PER_OP(false),
  /** PostgreSQL alone: the same rows, a hundred operations in a transaction. */
  FLOOR_BATCHED(false);

  private final boolean peer;

  SystemName(boolean peer) {
    this.peer = peer;
  }

  /** The word in keys, such as {@code floor_per_op}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether somebody else makes it. */
  public boolean isPeer() {
    return peer;
  }

  /** Whether it is Kagzi. */
  public boolean isKagzi() {
    return this == REMOTE || this == EMBEDDED;
  }

  /** The one with this key. */
  public static Optional<SystemName> of(String key) {
    return Arrays.stream(values()).filter(system -> system.key().equals(key)).findFirst();
  }

  /** All keys, in the order in which they are measured. */
  public static List<String> keys() {
    return Arrays.stream(values()).map(SystemName::key).toList();
  }
}
