package dev.kagzi.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.PartitionKeeper;
import dev.kagzi.engine.operation.Partitions;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.NamespaceServiceGrpc.NamespaceServiceBlockingStub;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkerServiceGrpc.WorkerServiceBlockingStub;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc.WorkflowScheduleServiceBlockingStub;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A real server on a database of its own and free ports, with channels to it. */
public final class TestServer implements AutoCloseable {

  private static final long CALL_LIMIT_SECONDS = 20;

  private final KagziServer server;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final ManagedChannel channel;

  private TestServer(ServerConfig config) {
    this.server = KagziServer.start(config);
    this.channel = newChannel();
  }

  /** With short times, so that tests need not wait long. */
  public static TestServer start() {
    return start(settings -> settings);
  }

  public static TestServer start(UnaryOperator<ServerConfig.Builder> more) {
    return new TestServer(more.apply(settings(migratedDatabase())).build());
  }

  /** On a database that the server has to migrate itself. */
  static TestServer startOnEmptyDatabase() {
    return new TestServer(settings(SharedPostgres.freshDatabase()).build());
  }

  /** The address of a new database with the schema and its partitions of these days. */
  public static String migratedDatabase() {
    return SharedPostgres.freshDatabase("schema", TestServer::migrate);
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

  /** What all tests set. */
  public static ServerConfig.Builder settings(String jdbcUrl) {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(jdbcUrl))
        .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
        .set(ConfigKeys.DATABASE_POOL_SIZE, 6)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .set(ConfigKeys.POLL_FALLBACK_INTERVAL, Duration.ofMillis(200))
        .set(ConfigKeys.SHUTDOWN_TIMEOUT, Duration.ofSeconds(5));
  }

  public KagziServer server() {
    return server;
  }

  public ManagedChannel channel() {
    return channel;
  }

  /** A connection of its own, as another process would have. */
  public ManagedChannel newChannel() {
    ManagedChannel fresh =
        NettyChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
    channels.add(fresh);
    return fresh;
  }

  public WorkflowServiceBlockingStub workflows() {
    return WorkflowServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  public WorkflowScheduleServiceBlockingStub schedules() {
    return WorkflowScheduleServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  public WorkerServiceBlockingStub workers() {
    return WorkerServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  public AdminServiceBlockingStub admin() {
    return AdminServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  public NamespaceServiceBlockingStub namespaces() {
    return NamespaceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
  }
}
