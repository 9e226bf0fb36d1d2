package dev.kagzi.server;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.loop.Loop;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.ListenConfig;
import dev.kagzi.server.config.ServerConfig;
import dev.kagzi.server.grpc.GrpcServer;
import dev.kagzi.server.grpc.LocalCalls;
import dev.kagzi.server.http.HealthHandler;
import dev.kagzi.server.http.HttpServer;
import dev.kagzi.server.http.MetricsHandler;
import dev.kagzi.server.json.JsonHandler;
import dev.kagzi.server.metrics.ServerMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server, on ports of its own or inside an application. It is the wiring: database,
 * schema, engine, gRPC, health, HTTP, started in this order and stopped in the reverse one.
 *
 * <p>Thread-safe.
 */
public final class KagziServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(KagziServer.class);
  private static final Duration HEALTH_INTERVAL = Duration.ofSeconds(1);

  private final ServerConfig config;
  private final Database database;
  private final Engine engine;
  private final Edges edges;
  private boolean closed;

  /** The database, what it is and what was done to it; the pool only if it is ours. */
  private record Database(
      String version, Schema.Migrated migrated, @Nullable AutoCloseable ownPool) {}

  /** How the server is reached and what it shows; no HTTP and no metrics inside an application. */
  private record Edges(
      GrpcServer grpc,
      @Nullable HttpServer http,
      Readiness readiness,
      Loop health,
      @Nullable ServerMetrics metrics) {}

  private KagziServer(ServerConfig config, Database database, Engine engine, Edges edges) {
    this.config = config;
    this.database = database;
    this.engine = engine;
    this.edges = edges;
  }

  /**
   * Starts a server on the database and the ports of the configuration.
   *
   * @throws ServerStartException if it cannot; then nothing stays open
   */
  public static KagziServer start(ServerConfig config) {
    var failures = new StartFailures(config);
    try (var opened = new Opened()) {
      config.warnings().forEach(log::warn);
      DataSource sessions = DataSources.sessions(config.database());
      var schema = new Schema(sessions);
      String version = schema.databaseVersion();
      Schema.Migrated migrated = prepare(schema, config.database().migrate());
      var pool = opened.add(DataSources.pool(config.database()));
      var metrics = opened.add(new ServerMetrics(version()));
      metrics.watch(pool);
      EngineConfig settings = EngineConfigs.of(config, version(), false);
      Engine engine = opened.add(Engine.start(pool, sessions, settings, metrics.telemetry()));

      var readiness = new Readiness(engine);
      GrpcServer grpc = opened.add(listenForGrpc(engine, config, failures));
      List<Handler> handlers =
          List.of(
              new MetricsHandler(metrics.watch(engine)), new HealthHandler(readiness::obstacles));
      HttpServer http = opened.add(listenForHttp(grpc, handlers, config, failures));
      Loop health = opened.add(showHealth(readiness, grpc));

      log.info(
          "serving gRPC on port {} and HTTP on port {}, {}", grpc.port(), http.port(), version);
      opened.keep();
      return new KagziServer(
          config,
          new Database(version, migrated, pool),
          engine,
          new Edges(grpc, http, readiness, health, metrics));
    } catch (RuntimeException failure) {
      throw failures.explain(failure);
    }
  }

  /**
   * Starts a server inside this JVM, on the application's own database and without any port. The
   * data source stays the application's.
   *
   * @param name by which channels of this JVM reach it
   * @throws ServerStartException if it cannot; then nothing stays open
   */
  public static KagziServer embedded(DataSource dataSource, ServerConfig config, String name) {
    DataSources.requireRoom(dataSource);
    var failures = new StartFailures(config);
    try (var opened = new Opened()) {
      var schema = new Schema(dataSource);
      String version = schema.databaseVersion();
      Schema.Migrated migrated = schema.migrate();
      Engine engine =
          opened.add(Engine.start(dataSource, EngineConfigs.of(config, version(), true)));

      var readiness = new Readiness(engine);
      GrpcServer grpc = opened.add(GrpcServer.inProcess(engine, name));
      Loop health = opened.add(showHealth(readiness, grpc));

      opened.keep();
      return new KagziServer(
          config,
          new Database(version, migrated, null),
          engine,
          new Edges(grpc, null, readiness, health, null));
    } catch (IOException taken) {
      throw failures.explain(new IllegalStateException("the name " + name + " is taken", taken));
    } catch (RuntimeException failure) {
      throw failures.explain(failure);
    }
  }

  private static Schema.Migrated prepare(Schema schema, Migrate how) {
    switch (how) {
      case AUTO -> {
        return schema.migrate();
      }
      case CHECK -> schema.requireCurrent();
      case OFF -> log.warn("the schema is not looked at, as {} says", ConfigKeys.DATABASE_MIGRATE);
    }
    return new Schema.Migrated(Schema.VERSION, 0, Duration.ZERO);
  }

  private static GrpcServer listenForGrpc(
      Engine engine, ServerConfig config, StartFailures failures) {
    InetSocketAddress address = address(config.listen(), config.listen().grpcPort());
    try {
      return GrpcServer.listen(engine, address);
    } catch (IOException refused) {
      throw failures.ofPort(ConfigKeys.GRPC_PORT, address, refused);
    }
  }

  private static HttpServer listenForHttp(
      GrpcServer grpc, List<Handler> own, ServerConfig config, StartFailures failures) {
    InetSocketAddress address = address(config.listen(), config.listen().httpPort());
    try {
      LocalCalls calls = grpc.openLocally();
      List<Handler> handlers = new ArrayList<>();
      handlers.add(new JsonHandler(calls.channel(), calls.methods(), version()));
      handlers.addAll(own);
      return HttpServer.listen(address, new Handler.Sequence(handlers));
    } catch (IOException refused) {
      throw failures.ofPort(ConfigKeys.HTTP_PORT, address, refused);
    }
  }

  private static InetSocketAddress address(ListenConfig listen, int port) {
    return new InetSocketAddress(listen.bindAddress(), port);
  }

  private static Loop showHealth(Readiness readiness, GrpcServer grpc) {
    return new Loop("health", HEALTH_INTERVAL, () -> grpc.showServing(readiness.isReady())).start();
  }

  private static String version() {
    String version = KagziServer.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  public ServerConfig config() {
    return config;
  }

  /** The port that gRPC is served on; -1 inside an application. */
  public int grpcPort() {
    return edges.grpc().port();
  }

  /** The port that HTTP is served on; -1 inside an application. */
  public int httpPort() {
    HttpServer http = edges.http();
    return http == null ? -1 : http.port();
  }

  /** The database and its version, such as {@code PostgreSQL 18.6}. */
  public String databaseVersion() {
    return database.version();
  }

  public int schemaVersion() {
    return database.migrated().version();
  }

  /** What was done to the schema at the start. */
  public Schema.Migrated migrated() {
    return database.migrated();
  }

  /** What keeps the server from working now, each in words; empty if nothing does. */
  public List<String> obstacles() {
    return edges.readiness().obstacles();
  }

  /**
   * Stops in good order: shows itself as not serving, hands out no more work, answers those who
   * wait, lets calls finish within the configured limit, writes what was accepted, closes. Safe to
   * repeat.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    edges.readiness().drain();
    edges.health().close();
    edges.grpc().showServing(false);
    engine.drain();
    edges.grpc().shutDown(config.shutdownTimeout());
    engine.close();
    close(edges.grpc());
    close(edges.http());
    close(edges.metrics());
    close(database.ownPool());
    log.info("the server has stopped");
  }

  private static void close(@Nullable AutoCloseable part) {
    try {
      if (part != null) {
        part.close();
      }
    } catch (Exception failure) {
      log.warn("could not close in good order: {}", failure.toString());
    }
  }
}
