package dev.kagzi.engine.operation;

import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.HealthStore;
import dev.kagzi.engine.store.NodeStore;
import dev.kagzi.engine.store.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What a server runs on, and together with whom. Thread-safe. */
public final class Surroundings {

  private static final int MAX_NODES = 1000;

  private final Database database;
  private final Duration deadAfter;
  private final HealthStore store = new HealthStore();
  private final NodeStore nodes = new NodeStore();

  /**
   * @param deadAfter how long a server may be silent
   */
  public Surroundings(Database database, Duration deadAfter) {
    this.database = database;
    this.deadAfter = deadAfter;
  }

  /** What was seen, at the database's time. */
  public record Seen(
      HealthStore.Description database,
      int schemaVersion,
      Instant databaseTime,
      List<HealthStore.NodeRow> nodes,
      Duration deadAfter) {

    public boolean isAlive(HealthStore.NodeRow node) {
      return node.lastBeatAt().plus(deadAfter).isAfter(databaseTime);
    }
  }

  public Seen look() {
    return database.inTransaction(tx ->
        new Seen(
            store.describe(tx),
            store.schemaVersion(tx).orElse(Schema.VERSION),
            nodes.databaseTime(tx),
            store.nodes(tx, MAX_NODES),
            deadAfter));
  }
}
