package dev.kagzi.server;

import dev.kagzi.engine.store.Schema;
import dev.kagzi.server.config.ServerConfig;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The database of a server, without the server: for what is done to its schema beforehand. It is
 * reached as a server reaches it, and failures are explained as at a server's start. Thread-safe.
 */
public final class ServerDatabase {

  private final ServerConfig config;
  private final DataSource sessions;

  public ServerDatabase(ServerConfig config) {
    this.config = config;
    this.sessions = DataSources.sessions(config.database());
  }

  /**
   * Does something with the schema.
   *
   * @throws ServerStartException if a server could not start for the same reason
   */
  public <R> R schema(Function<Schema, R> work) {
    return ask(database -> {
      var schema = new Schema(database);
      // Whoever cannot be reached says so here in clearer words than in those of a migration.
      schema.databaseVersion();
      return work.apply(schema);
    });
  }

  /**
   * Does something with connections of any length.
   *
   * @throws ServerStartException if a server could not start for the same reason
   */
  public <R> R ask(Function<DataSource, R> work) {
    try {
      return work.apply(sessions);
    } catch (RuntimeException failure) {
      throw new StartFailures(config).explain(failure);
    }
  }
}
