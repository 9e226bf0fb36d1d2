package dev.kagzi.cli;

import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * A server on a real PostgreSQL with a real worker, one for all tests of the module; it goes with
 * the JVM. Tests tell their runs from those of others by labels and external ids.
 */
public final class ServerAtWork implements AutoCloseable {
  /** The queue of the worker. */
  public static final String QUEUE = "shop";

  /** Takes a name and greets it, in two steps. */
  public static final WorkflowType<String, String> GREET =
      WorkflowType.of("greet", String.class, String.class);

  /** Fails in its second step until {@link #heal} has been called for its input. */
  public static final WorkflowType<String, String> CHARGE =
      WorkflowType.of("charge-card", String.class, String.class);

  /** Waits for an event and returns what it brings. */
  public static final WorkflowType<String, String> APPROVE =
      WorkflowType.of("approve", String.class, String.class);

  /** Has a child that greets. */
  public static final WorkflowType<String, String> FAMILY =
      WorkflowType.of("family", String.class, String.class);

  /** Has thirty steps, and then two children in one step. */
  public static final WorkflowType<String, String> CROWD =
      WorkflowType.of("crowd", String.class, String.class);

  /** Sleeps for an hour. */
  public static final WorkflowType<String, String> NAP =
      WorkflowType.of("nap", String.class, String.class);

  private static final EventType<String> APPROVED = EventType.of("approved", String.class);
  private static final Map<String, Boolean> HEALED = new ConcurrentHashMap<>();
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final KagziServer server;
  private final KagziClient client;

  private final Worker worker;

  private ServerAtWork() {
    this.server =
        KagziServer.start(
            ServerConfig.builder()
                .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(SharedPostgres.freshDatabase()))
                .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
                .set(ConfigKeys.GRPC_PORT, 0)
                .set(ConfigKeys.HTTP_PORT, 0)
                // What a worker is told with a beat is to be seen soon.
                .set(ConfigKeys.WORKER_HEARTBEAT_INTERVAL, Duration.ofSeconds(1))
                .set(ConfigKeys.SHUTDOWN_TIMEOUT, Duration.ofSeconds(1))
                .build());
    this.client = KagziClient.connect(address());
    this.worker = startWorker();
  }

  /** One of a test's own, which it may close. */
  public static ServerAtWork another() {
    return new ServerAtWork();
  }

  @Override
  public void close() {
    worker.close();
    client.close();
    server.close();
  }

  /** The one that all tests share. */
  public static ServerAtWork shared() {
    return Holder.SHARED;
  }

  private static final class Holder {
    private static final ServerAtWork SHARED = new ServerAtWork();
  }

  /** Another worker like the one that is there, on the same queue. */
  public Worker startWorker() {
    var another =
        Worker.builder(address(), QUEUE)
            .version("1.2.3")
            .register(
                GREET,
                (ctx, name) -> {
                  var greeting = ctx.step("compose", String.class, () -> "Hello, " + name + "!");
                  ctx.sleep("pause", Duration.ofMillis(50));
                  ctx.step("send", () -> {});
                  return greeting;
                })
            .register(
                CHARGE,
                (ctx, card) -> {
                  ctx.step("reserve", String.class, () -> "r-17");
                  return ctx.step("charge")
                      .retry(Retry.exponential(2, "10ms"))
                      .run(String.class, () -> charge(card));
                })
            .register(
                APPROVE, (ctx, order) -> order + " " + ctx.waitFor(APPROVED, "1h").orElse("late"))
            .register(FAMILY, (ctx, name) -> "child says " + ctx.child(GREET).input(name).run())
            .register(
                CROWD,
                (ctx, input) -> {
                  for (var i = 1; i <= 30; i++) {
                    var number = i;
                    ctx.step("count-" + number, Integer.class, () -> number);
                  }
                  return "" + ctx.childMap("greet-all", List.of("Ada", "Eve"), GREET, 2).size();
                })
            .register(
                NAP,
                (ctx, input) -> {
                  ctx.sleep("rest", "1h");
                  return input;
                })
            .build();
    another.start();
    return another;
  }

  private static String charge(String card) {
    if (!HEALED.containsKey(card)) {
      throw new IllegalStateException("card declined: " + card);
    }
    return "paid with " + card;
  }

  /** From now on a card can be charged. */
  public void heal(String card) {
    HEALED.put(card, true);
  }

  public KagziClient client() {
    return client;
  }

  public String address() {
    return "127.0.0.1:" + server.grpcPort();
  }

  /** Where it answers, though not in gRPC. */
  public String httpAddress() {
    return "127.0.0.1:" + server.httpPort();
  }

  /** Waits until a run is in a state; fails if that takes too long. */
  public void awaitStatus(String runId, String status) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> kagzi("wf", "show", runId, "-o", "json").out().contains("STATUS_" + status));
  }

  /** A name that no other test uses. */
  public static String unique(String name) {
    return name + "-" + NAMES.incrementAndGet();
  }

  /** Runs a command with this server in the environment, where nobody can be asked. */
  public Recorded kagzi(String... arguments) {
    return typing("", Terminal.NONE, arguments);
  }

  /** Runs a command that must do what it is asked to, and says what it printed. */
  public String done(String... arguments) {
    return kagzi(arguments).done();
  }

  /** Runs a command that reads something, perhaps from a person. */
  public Recorded typing(String typed, Terminal terminal, String... arguments) {
    return Recorded.run(Path.of("").toAbsolutePath(), environment(), typed, terminal, arguments);
  }

  /** What commands need to find this server, and no configuration of whoever runs the tests. */
  public Map<String, String> environment() {
    return Map.of("KAGZI_ADDRESS", address());
  }
}
