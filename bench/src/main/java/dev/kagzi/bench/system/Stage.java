package dev.kagzi.bench.system;

import dev.kagzi.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Starts systems, each with a PostgreSQL of its own where it needs one, so that what one does
 * cannot be charged to another. Thread-safe.
 */
public final class Stage {
  private static final Pattern SERVING = Pattern.compile("serving gRPC on port (\\d+)");
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private final Programs programs;
  private final Path folder;
  private final Consumer<AutoCloseable> lifetime;
  private final @Nullable Peers peers;
  private final AtomicInteger number = new AtomicInteger();

  /**
   * A stage.
   *
   * @param folder where data and logs go; on the disk that is to be measured
   * @param lifetime takes what must be closed at the end, in reverse order
   * @param peers what is needed to run the systems of others; nothing if they are not wanted
   */
  public Stage(
      Programs programs, Path folder, Consumer<AutoCloseable> lifetime, @Nullable Peers peers) {
    this.programs = programs;
    this.folder = folder;
    this.lifetime = lifetime;
    this.peers = peers;
  }

  /** How a system is started. */
  private interface Starter {
    Entrant start() throws InterruptedException;
  }

  /** Starts systems beside each other; returns when all are ready. */
  public List<Entrant> startAll(List<SystemName> names) throws InterruptedException {
    var begun = new ArrayList<CompletableFuture<Entrant>>();
    names.forEach(name -> begun.add(inBackground(() -> start(name))));
    var entrants = new ArrayList<Entrant>();
    for (var entrant : begun) {
      entrants.add(result(entrant));
    }
    return entrants;
  }

  /** On a thread that stays, because the kernel ends the processes of threads that have ended. */
  @SuppressWarnings("CatchingUnchecked")
  private static CompletableFuture<Entrant> inBackground(Starter starter) {
    var result = new CompletableFuture<Entrant>();
    Thread.ofPlatform()
        .daemon()
        .name("kagzi-bench-parent")
        .start(() -> {
          try {
            result.complete(starter.start());
            new CountDownLatch(1).await();
          } catch (Exception | Error e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  private static Entrant result(CompletableFuture<Entrant> entrant) throws InterruptedException {
    try {
      return entrant.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new BenchFailedException("a system could not be started: " + e.getCause(), e);
    }
  }

  private Entrant start(SystemName name) throws InterruptedException {
    var site = new Site(freshFolder(name), lifetime);
    return switch (name) {
      case REMOTE -> remote(site, ground -> {});
      case EMBEDDED, FLOOR_PER_OP, FLOOR_BATCHED -> inOneProcess(name, site);
      case DBOS -> dbos(site);
      case RESTATE -> restate(site);
    };
  }

  private Path freshFolder(SystemName name) {
    var fresh = folder.resolve(name.key() + "-" + number.incrementAndGet());
    if (!fresh.toFile().mkdirs()) {
      throw new BenchFailedException("the folder " + fresh + " could not be made");
    }
    return fresh;
  }

  /**
   * Kagzi remote on a database that somebody fills first.
   *
   * @param filling gets the address of the database when the server has made its tables
   */
  public Entrant remoteOn(Consumer<String> filling) throws InterruptedException {
    return result(
        inBackground(() -> remote(new Site(freshFolder(SystemName.REMOTE), lifetime), filling)));
  }

  /** A worker process and a driver for a server that somebody else runs. */
  public Entrant at(String address) throws InterruptedException {
    return result(
        inBackground(() ->
            clients(
                new Target(address, freshQueue()),
                new Site(freshFolder(SystemName.REMOTE), lifetime),
                new LinkedHashMap<>(),
                null)));
  }

  /** A server process, a worker process and a driver. */
  private Entrant remote(Site site, Consumer<String> filling) throws InterruptedException {
    var postgres = site.postgres();
    var server =
        site.child(
            "server",
            programs.kagzi(
                "server", "--database-migrate", "auto", "--grpc-port", "0", "--http-port", "0"),
            Map.of("KAGZI_DATABASE_URL", postgres.jdbcUrl(Site.DATABASE)));
    var port = server.awaitLog(SERVING, START_LIMIT).group(1);
    filling.accept(postgres.jdbcUrl(Site.DATABASE));
    var parts = new LinkedHashMap<String, Long>();
    parts.put(Entrant.POSTGRES, postgres.pid());
    parts.put(Entrant.SERVER, server.pid());
    var target = new Target("127.0.0.1:" + port, Site.DATABASE);
    return clients(target, site, parts, site.probe(postgres));
  }

  /** A queue that nobody else on a server uses. */
  private static String freshQueue() {
    return "bench-" + UUID.randomUUID().toString().substring(0, 8);
  }

  /** Where worker and driver meet. */
  private record Target(String address, String queue) {}

  private Entrant clients(
      Target target, Site site, Map<String, Long> parts, @Nullable PostgresProbe probe)
      throws InterruptedException {
    var worker =
        site.child(
            "worker",
            programs.kagzi(
                Programs.WORKER_COMMAND, "--address", target.address(), "--queue", target.queue()),
            Map.of());
    var driver =
        site.child("driver", driver(SystemName.REMOTE, target.address(), target.queue()), Map.of());
    var unused = worker.await(Optional::of, START_LIMIT);
    parts.put(Entrant.WORKER, worker.pid());
    return site.entrant(SystemName.REMOTE, driver, parts, probe);
  }

  private List<String> driver(SystemName name, String at, String queue) {
    return programs.kagzi(
        Programs.DRIVER_COMMAND, "--system", name.key(), "--at", at, "--queue", queue);
  }

  private Entrant inOneProcess(SystemName name, Site site) throws InterruptedException {
    var postgres = site.postgres();
    var command = driver(name, postgres.jdbcUrl(Site.DATABASE), Site.DATABASE);
    return onDatabase(name, command, site, postgres);
  }

  private Entrant dbos(Site site) throws InterruptedException {
    var postgres = site.postgres();
    var url = postgres.jdbcUrl(Site.DATABASE);
    var command = programs.peer(requirePeers().library(), Peers.DBOS_PROGRAM, url);
    return onDatabase(SystemName.DBOS, command, site, postgres);
  }

  private static Entrant onDatabase(
      SystemName name, List<String> command, Site site, EmbeddedPostgres postgres)
      throws InterruptedException {
    var driver = site.child("driver", command, Map.of());
    var parts = Map.of(Entrant.POSTGRES, postgres.pid());
    return site.entrant(name, driver, parts, site.probe(postgres));
  }

  private Entrant restate(Site site) throws InterruptedException {
    var restate = RestateProcesses.start(requirePeers(), programs, site);
    return site.entrant(SystemName.RESTATE, restate.driver(), restate.parts(), null);
  }

  private Peers requirePeers() {
    if (peers == null) {
      throw new IllegalStateException("peers were not asked for");
    }
    return peers;
  }
}
