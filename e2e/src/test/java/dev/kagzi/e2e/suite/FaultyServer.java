package dev.kagzi.e2e.suite;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.server.grpc.GrpcServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A server behind a port whose database is not to be relied on. */
final class FaultyServer {

  private static final int POOL_SIZE = 10;
  private static final Duration CONNECTION_LIMIT = Duration.ofSeconds(1);
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(5);

  private FaultyServer() {}

  static Home open(
      String jdbcUrl, Duration heartbeatInterval, Duration lease, RandomFaults faults) {
    HikariDataSource pool = pool(jdbcUrl);
    new Schema(pool).migrate();
    RandomFaults.Source source = faults.under(pool);
    Engine engine = Engine.start(source.dataSource(), config(heartbeatInterval, lease));
    GrpcServer grpc = listen(engine);
    source.begin().run();
    return new Home(
        "127.0.0.1:" + grpc.port(),
        jdbcUrl,
        () -> {
          engine.drain();
          grpc.shutDown(SHUTDOWN_LIMIT);
          engine.close();
          grpc.close();
          pool.close();
        });
  }

  private static GrpcServer listen(Engine engine) {
    try {
      return GrpcServer.listen(engine, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  /** As a server's own. */
  private static HikariDataSource pool(String jdbcUrl) {
    var settings = new HikariConfig();
    settings.setJdbcUrl(jdbcUrl);
    settings.setMaximumPoolSize(POOL_SIZE);
    settings.setAutoCommit(false);
    settings.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    settings.setConnectionTimeout(CONNECTION_LIMIT.toMillis());
    settings.setValidationTimeout(CONNECTION_LIMIT.toMillis());
    return new HikariDataSource(settings);
  }

  private static EngineConfig config(Duration heartbeatInterval, Duration lease) {
    EngineConfig usual = EngineConfig.defaults();
    EngineConfig.Leases leases =
        new EngineConfig.Leases(
            lease,
            heartbeatInterval,
            usual.leases().suspectGrace(),
            lease,
            usual.leases().maxRecoveryAttempts());
    return new EngineConfig(leases, usual.intervals(), usual.commit(), usual.node());
  }
}
