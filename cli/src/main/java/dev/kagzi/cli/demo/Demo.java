package dev.kagzi.cli.demo;

import dev.kagzi.cli.folder.TempFolder;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Starts a PostgreSQL, a server and a worker process, kills the worker between two steps, starts
 * another, and shows that each step happened once. For one use; not thread-safe.
 */
public final class Demo {
  private static final OrderWorkflow.Order ORDER = new OrderWorkflow.Order("A-1001", "kettle", 1);
  private static final String DATABASE = "kagzi";
  private static final int PATIENCE_SECONDS = 60;

  private final long began = System.nanoTime();
  private final List<String> program;
  private final Session session;
  private final PrintStream out;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Path folder;
  private final List<WorkerProcess> workers = new ArrayList<>();

  /**
   * Prepares the demonstration.
   *
   * @param program the command line that starts a {@link DemoWorker}, without its arguments
   */
  public Demo(Session session, List<String> program) {
    this.session = session;
    this.program = List.copyOf(program);
    this.out = session.out();
    this.folder = hold(TempFolder.create("kagzi-demo-")).path();
  }

  /**
   * Tells the whole story.
   *
   * @throws DemoFailedException if it did not end as it should
   */
  public void run() throws InterruptedException, IOException {
    try {
      tell(startServer());
    } catch (DemoFailedException e) {
      throw new DemoFailedException(
          "the demo failed: %s%n%s".formatted(e.getMessage(), lastWords()).strip(), e);
    }
  }

  private String lastWords() {
    return workers.stream().map(WorkerProcess::lastWords).collect(Collectors.joining("\n"));
  }

  private void tell(String address) throws InterruptedException, IOException {
    startWorker(address, true);
    var client = hold(KagziClient.connect(address));
    var run = client.start(OrderWorkflow.TYPE).queue(DemoWorker.QUEUE).input(ORDER).send();
    var timeline = new Timeline(out, System.nanoTime());
    timeline.say(System.nanoTime(), "run started: " + run.runId());
    hold(RunWatch.start(address, run.runId(), events));
    var ended = follow(new Story(timeline), address);
    timeline.say(ended, "result " + client.handle(run.runId(), JsonNode.class).result());
    judge();
  }

  private String startServer() {
    out.println("Kagzi demo: an order whose worker is killed half-way. No step may happen twice.");
    out.println();
    EmbeddedPostgres postgres;
    ServerConfig config;
    KagziServer server;
    try (var progress = new Progress(session)) {
      progress.show("starting a PostgreSQL (for the first time it is unpacked and set up)…");
      postgres = hold(EmbeddedPostgres.builder(folder.resolve("pg")).start());
      postgres.createDatabase(DATABASE);
      progress.show("starting the server…");
      config = config(postgres.jdbcUrl(DATABASE));
      server = hold(KagziServer.start(config));
    }
    out.printf(
        Locale.ROOT,
        "  PostgreSQL %s and a server are ready after %.1f s; lease %d s, grace for lost workers"
            + " %d s%n%n",
        postgres.version(),
        Timeline.seconds(System.nanoTime() - began),
        config.lease().duration().toSeconds(),
        config.lease().suspectGrace().toSeconds());
    return "localhost:" + server.grpcPort();
  }

  /** The defaults, but for ports that may be taken. */
  private static ServerConfig config(String url) {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(url))
        .set(ConfigKeys.DATABASE_MIGRATE, DatabaseConfig.Migrate.AUTO)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .build();
  }

  private void startWorker(String address, boolean waits) {
    var command = new ArrayList<>(program);
    command.addAll(List.of("--address", address, "--ledger", ledgerFile().toString()));
    if (waits) {
      command.add("--wait");
    }
    var log = folder.resolve("worker-%d.log".formatted(workers.size() + 1));
    workers.add(hold(WorkerProcess.start(command, log, events)));
  }

  private Path ledgerFile() {
    return folder.resolve("ledger");
  }

  /** Returns when the run had completed. */
  private long follow(Story story, String address) throws InterruptedException {
    while (true) {
      var event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (event == null) {
        throw new DemoFailedException("nothing happened for %d s".formatted(PATIENCE_SECONDS));
      }
      switch (story.hear(event)) {
        case NOTHING -> {}
        case KILL -> replaceWorker(story, address);
        case END -> {
          finish(story);
          return event.nanos();
        }
      }
    }
  }

  private void replaceWorker(Story story, String address) {
    var victim = workers.getFirst();
    victim.kill();
    story.kill(System.nanoTime(), victim.pid());
    startWorker(address, false);
  }

  /** Listens until the last worker has said everything; its lines may trail behind the server's. */
  private void finish(Story story) throws InterruptedException {
    var survivor = workers.getLast();
    survivor.close();
    for (var event = events.take(); !isEndOf(survivor, event); event = events.take()) {
      story.hear(event);
    }
  }

  private static boolean isEndOf(WorkerProcess worker, Event event) {
    return event instanceof Event.WorkerEnded ended && ended.pid() == worker.pid();
  }

  private void judge() throws IOException {
    var killed = workers.getFirst().pid();
    var ledger = new Ledger(ledgerFile()).entries();
    var verdict = new Verdict(ledger, killed, workers.getLast().pid());
    out.printf("%n%s%n", verdict.table());
    if (!verdict.faults().isEmpty()) {
      throw new DemoFailedException(String.join("; ", verdict.faults()));
    }
    out.printf(
        Locale.ROOT,
        "Every side effect happened exactly once, although worker %d was killed. (%.1f s)%n",
        killed,
        Timeline.seconds(System.nanoTime() - began));
  }

  private <T extends AutoCloseable> T hold(T resource) {
    return session.lifetime().hold(resource);
  }
}
