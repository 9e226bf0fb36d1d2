package dev.kagzi.e2e.suite;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.PartitionKeeper;
import dev.kagzi.engine.operation.Partitions;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The ways to run Kagzi that must not differ to whoever uses it. */
public enum Deployment {
  /** A server of its own behind a port of the loopback interface. */
  REMOTE {
    @Override
    public Home open() {
      return remote(HEARTBEAT_INTERVAL, LEASE);
    }
  },

  /** A server inside this JVM, on the application's data source. */
  EMBEDDED {
    @Override
    public Home open() {
      String jdbcUrl = migratedDatabase();
      var pool = new HikariDataSource();
      pool.setJdbcUrl(jdbcUrl);
      pool.setMinimumIdle(2);
      RandomFaults.Source source = FAULTS.under(pool);
      Kagzi kagzi =
          Kagzi.embedded(source.dataSource())
              .with(ConfigKeys.WORKER_HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL)
              .with(ConfigKeys.SHUTDOWN_TIMEOUT, SHUTDOWN_TIMEOUT)
              .start();
      source.begin().run();
      return new Home(
          kagzi.address(),
          jdbcUrl,
          () -> {
            kagzi.close();
            pool.close();
          });
    }
  };

  /** Shorter than the ten seconds of a server, so that what rides on a beat is seen soon. */
  public static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(1);

  /** As servers have it; what happens much sooner did not wait for a lease to run out. */
  public static final Duration LEASE = Duration.ofSeconds(30);

  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(5);

  /** None, unless somebody has asked for them. */
  private static final RandomFaults FAULTS = RandomFaults.asTold();

  private static final Map<Deployment, Home> SHARED = new ConcurrentHashMap<>();

  /** Twice as long where statements fail on purpose and are repeated. */
  static Duration patience(Duration usual) {
    return FAULTS.areWanted() ? usual.multipliedBy(2) : usual;
  }

  /** A server for all tests that leave it as they found it; it goes with the JVM. */
  Home shared() {
    return SHARED.computeIfAbsent(this, Deployment::open);
  }

  /** A server on a database of its own, until it is closed. */
  public abstract Home open();

  /** A server behind a port that tells its workers to beat this often. */
  public static Home remote(Duration heartbeatInterval, Duration lease) {
    return remote(migratedDatabase(), heartbeatInterval, lease);
  }

  /** The address of a new database with the schema and its partitions of these days. */
  public static String migratedDatabase() {
    return SharedPostgres.freshDatabase("schema", Deployment::migrate);
  }

  private static void migrate(String jdbcUrl) {
    try (var pool = new HikariDataSource()) {
      pool.setJdbcUrl(jdbcUrl);
      pool.setMinimumIdle(1);
      new Schema(pool).migrate();
      new PartitionKeeper(new Partitions(new Database(pool)))
          .runOnce(InstantSource.system().instant());
    }
  }

  /** One more server on a database. */
  public static Home remote(String jdbcUrl, Duration heartbeatInterval, Duration lease) {
    if (FAULTS.areWanted()) {
      return FaultyServer.open(jdbcUrl, heartbeatInterval, lease, FAULTS);
    }
    KagziServer server =
        KagziServer.start(
            ServerConfig.builder()
                .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(jdbcUrl))
                .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
                .set(ConfigKeys.GRPC_PORT, 0)
                .set(ConfigKeys.HTTP_PORT, 0)
                .set(ConfigKeys.WORKER_HEARTBEAT_INTERVAL, heartbeatInterval)
                .set(ConfigKeys.WORKER_VISIBILITY_TIMEOUT, lease)
                .set(ConfigKeys.COORDINATOR_WORKER_STALE_THRESHOLD, lease)
                .set(ConfigKeys.SHUTDOWN_TIMEOUT, SHUTDOWN_TIMEOUT)
                .build());
    return new Home("127.0.0.1:" + server.grpcPort(), jdbcUrl, server::close);
  }

  /**
   * A running server.
   *
   * @param address where workers and clients find it
   * @param jdbcUrl its database, for figures that the SDK does not show
   * @param closing takes it down
   */
  public record Home(String address, String jdbcUrl, Runnable closing) implements AutoCloseable {
    @Override
    public void close() {
      closing.run();
    }
  }
}
