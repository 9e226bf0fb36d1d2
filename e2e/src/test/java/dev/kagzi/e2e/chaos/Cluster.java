package dev.kagzi.e2e.chaos;

import dev.kagzi.cli.Main;
import dev.kagzi.faults.TcpProxy;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is harmed: two servers on one PostgreSQL, four workers, and a proxy on every link between
 * them and the client. Beside it the ledger's PostgreSQL, which is left in peace.
 */
final class Cluster implements AutoCloseable {
  static final int SERVERS = 2;
  static final int WORKERS = 4;

  /** The least that servers take. */
  static final int LEASE_SECONDS = 2;

  private static final String LOCAL = "127.0.0.1";
  private static final long LONGEST_START_SECONDS = 180;
  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("KAGZI_DATABASE_MIGRATE", "auto"),
          Map.entry("KAGZI_DATABASE_PASSWORD", Job.CANARY + "-password"),
          Map.entry("KAGZI_DATABASE_POOL_SIZE", "8"),
          Map.entry("KAGZI_LOG_FORMAT", "text"),
          Map.entry("KAGZI_HTTP_PORT", "0"),
          Map.entry("KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS", String.valueOf(LEASE_SECONDS)),
          Map.entry("KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS", "0.5"),
          Map.entry("KAGZI_WORKER_SUSPECT_GRACE_SECS", "1"),
          Map.entry("KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS", "3"),
          Map.entry("KAGZI_COORDINATOR_INTERVAL_SECS", "1"),
          Map.entry("KAGZI_NODE_BEAT_INTERVAL_SECS", "0.5"),
          Map.entry("KAGZI_NODE_DEAD_AFTER_SECS", "2"),
          // Faults are no fault of the run's: nothing may be given up for them.
          Map.entry("KAGZI_MAX_RECOVERY_ATTEMPTS", "10000"),
          Map.entry("KAGZI_SHUTDOWN_TIMEOUT_SECS", "3"));

  private final EmbeddedPostgres postgres;
  private final String ledger = SharedPostgres.freshDatabase();
  private final List<Child> servers = new ArrayList<>();
  private final List<Child> workers = new ArrayList<>();
  private final Map<String, TcpProxy> links = new HashMap<>();

  /** Who ends the tests by Ctrl-C shall not be left with servers. */
  private final Thread hook = new Thread(() -> children().forEach(Child::close));

  private Cluster(Path folder) throws IOException, SQLException {
    Ledger.create(ledger);
    postgres =
        EmbeddedPostgres.builder(folder.resolve("postgres"))
            .setting("track_commit_timestamp", "on")
            .setting("deadlock_timeout", "200ms")
            .setting("max_connections", "100")
            .start();
    postgres.createDatabase("kagzi");
    Path logs = logs(folder);
    Files.createDirectories(logs);
    Runtime.getRuntime().addShutdownHook(hook);
    for (int number = 0; number < SERVERS; number++) {
      servers.add(startServer(logs, number));
    }
    for (int number = 0; number < WORKERS; number++) {
      workers.add(startWorker(logs, number));
    }
  }

  /** Where the processes log to. */
  static Path logs(Path folder) {
    return folder.resolve("logs");
  }

  /** Starts everything at once, and returns when everything serves. */
  static Cluster start(Path folder) throws Exception {
    var cluster = new Cluster(folder);
    try {
      cluster.awaitReady();
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  private Child startServer(Path logs, int number) throws IOException {
    int port = freePort();
    var database = link("database " + number, postgres.port());
    link("client " + number, port);
    for (int worker = 0; worker < WORKERS; worker++) {
      link("worker %d to %d".formatted(worker, number), port);
    }
    var environment = new HashMap<>(SETTINGS);
    environment.put(
        "KAGZI_DATABASE_URL",
        "jdbc:postgresql://%s:%d/kagzi?user=%s"
            .formatted(LOCAL, database.port(), EmbeddedPostgres.USER));
    return new Child(
        "server" + number,
        logs,
        "160m",
        environment,
        Main.class.getName(),
        List.of("server", "--grpc-port=" + port),
        "serving gRPC");
  }

  private Child startWorker(Path logs, int number) throws IOException {
    return new Child(
        "worker" + number,
        logs,
        "112m",
        Map.of(),
        WorkerProgram.class.getName(),
        List.of(addresses("worker %d to ".formatted(number)), ledger),
        "serves queue");
  }

  private TcpProxy link(String name, int port) {
    var proxy = TcpProxy.to(LOCAL, port);
    links.put(name, proxy);
    return proxy;
  }

  private String addresses(String prefix) {
    return IntStream.range(0, SERVERS)
        .mapToObj(server -> links.get(prefix + server))
        .map(link -> LOCAL + ":" + link.port())
        .collect(Collectors.joining(","));
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Where the client finds the servers. */
  String clientAddress() {
    return addresses("client ");
  }

  /** The database of Kagzi, past every proxy. */
  String database() {
    return postgres.jdbcUrl("kagzi");
  }

  String ledger() {
    return ledger;
  }

  EmbeddedPostgres postgres() {
    return postgres;
  }

  List<Child> servers() {
    return servers;
  }

  List<Child> workers() {
    return workers;
  }

  Map<String, TcpProxy> links() {
    return links;
  }

  /** Takes back every fault: what was killed is started, what was paused goes on. */
  void heal() throws Exception {
    links.values().forEach(TcpProxy::pass);
    if (!postgres.isRunning()) {
      postgres.restart();
    }
    for (Child child : children()) {
      child.signal("CONT");
      child.startAgain();
    }
    awaitReady();
  }

  private void awaitReady() throws Exception {
    for (Child child : children()) {
      child.awaitReady(LONGEST_START_SECONDS);
    }
  }

  List<Child> children() {
    var all = new ArrayList<>(servers);
    all.addAll(workers);
    return all;
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(hook);
    children().forEach(Child::close);
    links.values().forEach(TcpProxy::close);
    postgres.close();
  }
}
