package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * PostgreSQL or the server goes away and comes back while a client starts runs and two workers
 * execute them. Both workers live on, so they keep their runs, and no step at all is executed
 * twice.
 */
@Order(1)
@ResourceLock(Lanes.PROCESSES)
class RestartIT {
  private static final int SOME = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than a server may be silent before others take it for dead. */
  private static final Duration LONG_OUTAGE = Duration.ofSeconds(10);

  private static final Duration SHORT_OUTAGE = Duration.ofSeconds(4);

  /** What a server gives its calls after SIGTERM, and two seconds. */
  private static final double SHUTDOWN_SECONDS = 30 + 2;

  private static final String DATABASE = "restart";

  @TempDir Path folder;

  /** How a server ends. */
  @FunctionalInterface
  private interface End {
    void come(ServerProcess server) throws Exception;
  }

  /**
   * Who works where.
   *
   * @param figure what the figures are called
   * @param workersAt the address of the workers' servers, or the database that they embed one on
   */
  private record Scene(String figure, String database, String workersAt) {}

  /** Something goes away; when this returns, it is back. */
  @FunctionalInterface
  private interface Outage {
    void happen() throws Exception;
  }

  @Test
  void aShortOutageOfPostgresLosesAndRepeatsNothing() throws Exception {
    losePostgres("postgres.4s", SHORT_OUTAGE);
  }

  @Test
  @Tag("soak")
  void tenSecondsWithoutPostgresLoseAndRepeatNothing() throws Exception {
    losePostgres("postgres.10s", LONG_OUTAGE);
  }

  @Test
  @Tag("soak")
  void applicationsTakeTenSecondsWithoutPostgresForNobodysDeath() throws Exception {
    try (var postgres = startPostgres();
        var pool = WorkerProgram.pool(postgres.jdbcUrl(DATABASE));
        var kagzi = Kagzi.embedded(pool).start();
        var client = KagziClient.connect(kagzi.address())) {
      var database = postgres.jdbcUrl(DATABASE);
      loseNothingWhile(
          new Scene("postgres.embedded.10s", database, database),
          client,
          () -> lose(postgres, LONG_OUTAGE));
    }
  }

  @Test
  void aServerThatIsRestartedInGoodOrderLosesAndRepeatsNothing() throws Exception {
    var records =
        loseServer(
            "server.terminated",
            server -> {
              long asked = System.nanoTime();
              server.terminate();
              assertThat(Figures.printSeconds("server.terminated.exit", asked))
                  .isLessThanOrEqualTo(SHUTDOWN_SECONDS);
            });
    TerminateIT.assertUncharged(records, "server.terminated");
  }

  @Test
  @Tag("soak")
  void aKilledServerThatIsStartedAgainLosesAndRepeatsNothing() throws Exception {
    var unused = loseServer("server.killed", ServerProcess::kill);
  }

  private void losePostgres(String figure, Duration outage) throws Exception {
    try (var postgres = startPostgres();
        var server = ServerProcess.start(folder, postgres.jdbcUrl(DATABASE));
        var client = KagziClient.connect(server.address())) {
      loseNothingWhile(
          new Scene(figure, postgres.jdbcUrl(DATABASE), server.address()),
          client,
          () -> lose(postgres, outage));
    }
  }

  private EmbeddedPostgres startPostgres() {
    var postgres = EmbeddedPostgres.builder(folder.resolve("pg")).start();
    postgres.createDatabase(DATABASE);
    return postgres;
  }

  /** Ends it as a power cut would, so that it also has to recover. */
  private static void lose(EmbeddedPostgres postgres, Duration outage) {
    postgres.kill();
    await().pollDelay(outage).atMost(PATIENCE).until(() -> true);
    postgres.restart();
  }

  private Records loseServer(String figure, End end) throws Exception {
    var database = SharedPostgres.freshDatabase();
    try (var server = ServerProcess.start(folder, database);
        var client = KagziClient.connect(server.address())) {
      loseNothingWhile(
          new Scene(figure, database, server.address()),
          client,
          () -> {
            end.come(server);
            server.startAgain();
          });
    }
    return new Records(database);
  }

  private void loseNothingWhile(Scene scene, KagziClient client, Outage outage) throws Exception {
    try (var one = WorkerProcess.start(folder, scene.workersAt());
        var two = WorkerProcess.start(folder, scene.workersAt());
        var load = new Load(client)) {
      load.awaitMore(SOME);
      long downNanos = System.nanoTime();
      outage.happen();
      Figures.printSeconds(scene.figure() + ".down_for", downNanos);
      finish(scene, load);
      var records = new Records(scene.database());
      Figures.print(scene.figure() + ".lost_leases", records.lostLeases());
      assertThat(records.offlineEvents()).isEmpty();
      assertThat(records.onlineWorkers()).containsExactlyInAnyOrder(one.workerId(), two.workerId());
      assertThat(Ledger.in(folder).repeatedAfterAcknowledgement()).isEmpty();
      assertThat(Ledger.in(folder).repeated()).isEmpty();
    }
  }

  private static void finish(Scene scene, Load load) throws Exception {
    long backNanos = System.nanoTime();
    load.awaitMore(1);
    Figures.printSeconds(scene.figure() + ".next_start_after", backNanos);
    load.awaitMore(SOME);
    load.end();
    load.awaitResults();
    Figures.printSeconds(scene.figure() + ".all_done_after", backNanos);
    load.print(scene.figure());
  }
}
