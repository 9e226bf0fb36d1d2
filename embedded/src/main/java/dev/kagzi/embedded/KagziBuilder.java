package dev.kagzi.embedded;

import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKey;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.ServerConfig;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** The settings of a {@link Kagzi}. Not thread-safe. */
public final class KagziBuilder {

  /** What an application decides by other means: its data source and its logging. */
  private static final Set<ConfigKey<?>> MEANINGLESS =
      Set.of(
          ConfigKeys.BIND_ADDRESS,
          ConfigKeys.GRPC_PORT,
          ConfigKeys.HTTP_PORT,
          ConfigKeys.DATABASE_URL,
          ConfigKeys.DATABASE_DIRECT_URL,
          ConfigKeys.DATABASE_USER,
          ConfigKeys.DATABASE_PASSWORD,
          ConfigKeys.DATABASE_PASSWORD_FILE,
          ConfigKeys.DATABASE_POOL_SIZE,
          ConfigKeys.DATABASE_MIGRATE,
          ConfigKeys.LOG_FORMAT,
          ConfigKeys.LOG_LEVEL);

  private final DataSource dataSource;
  private final ServerConfig.Builder settings = ServerConfig.builder();

  KagziBuilder(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Changes a setting, under the name that it has for every server.
   *
   * @throws IllegalArgumentException if it has no meaning inside an application
   */
  public <T> KagziBuilder with(ConfigKey<T> key, T value) {
    if (MEANINGLESS.contains(key)) {
      throw new IllegalArgumentException(
          key
              + ": has no meaning inside an application, which brings its own data source and"
              + " logs");
    }
    settings.set(key, value);
    return this;
  }

  /**
   * Migrates the schema if need be and starts.
   *
   * @throws dev.kagzi.server.config.ConfigException if settings are wrong, with all faults
   * @throws dev.kagzi.server.ServerStartException if the server cannot start
   * @throws IllegalArgumentException if the data source is a pool that is too small
   */
  public Kagzi start() {
    String name = "kagzi-" + UUID.randomUUID();
    return new Kagzi(KagziServer.embedded(dataSource, settings.build(), name), name);
  }
}
