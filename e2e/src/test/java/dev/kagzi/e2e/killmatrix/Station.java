package dev.kagzi.e2e.killmatrix;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.faults.PlannedFaults;
import dev.kagzi.server.grpc.GrpcServer;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;

/**
 * A server in this JVM, its handlers behind a channel and its data source in the hands of a plan.
 */
final class Station implements AutoCloseable {

  static final Duration LEASE = Duration.ofSeconds(2);

  private static final int POOL_SIZE = 8;
  private static final Duration CUT_OFF = Duration.ZERO;

  private final HikariDataSource pool;
  private final Engine engine;
  private final GrpcServer grpc;
  private final ManagedChannel channel;

  private Station(HikariDataSource pool, Engine engine) throws IOException {
    this.pool = pool;
    this.engine = engine;
    String name = "station-" + UUID.randomUUID();
    this.grpc = GrpcServer.inProcess(engine, name);
    this.channel = InProcessChannelBuilder.forName(name).build();
  }

  /** A server that nothing happens to. */
  static Station start(String jdbcUrl) {
    HikariDataSource pool = pool(jdbcUrl);
    return start(pool, new PlannedFaults(pool, sql -> null));
  }

  /** A server on a data source that others hold too, to see it die. */
  static Station start(HikariDataSource pool, PlannedFaults faults) {
    try {
      return new Station(pool, Engine.start(faults.dataSource(), config()));
    } catch (IOException taken) {
      throw new UncheckedIOException(taken);
    }
  }

  static HikariDataSource pool(String jdbcUrl) {
    var settings = new HikariConfig();
    settings.setJdbcUrl(jdbcUrl);
    settings.setMaximumPoolSize(POOL_SIZE);
    settings.setMinimumIdle(1);
    settings.setAutoCommit(false);
    settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    settings.setConnectionTimeout(Duration.ofSeconds(5).toMillis());
    return new HikariDataSource(settings);
  }

  /** As a server has it, with shorter times. */
  static EngineConfig config() {
    return new EngineConfig(
        new EngineConfig.Leases(
            LEASE, Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(5), 10),
        new EngineConfig.Intervals(
            Duration.ofMillis(200),
            Duration.ofMillis(500),
            Duration.ofMillis(200),
            Duration.ofSeconds(10)),
        new GroupCommit.Size(2, 256),
        new EngineConfig.Node("killmatrix", Duration.ofMillis(1500), false));
  }

  Peer peer() {
    return new Peer(channel);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    engine.drain();
    grpc.shutDown(CUT_OFF);
    engine.close();
    grpc.close();
    pool.close();
  }
}
