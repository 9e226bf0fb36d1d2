package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL or the server goes away and comes back while a client starts runs and two workers
 * execute them. Both workers live on, so they keep their runs, and no step at all is executed
 * twice.
 */
class RestartIT {
  private static final int SOME = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void fourSecondsWithoutPostgresLoseAndRepeatNothing() throws Exception {
    losePostgresFor("postgres.4s", Duration.ofSeconds(4));
  }

  @Test
  @Tag("soak")
  void tenSecondsWithoutPostgresLoseAndRepeatNothing() throws Exception {
    losePostgresFor("postgres.10s", Duration.ofSeconds(10));
  }

  @Test
  void aServerThatIsRestartedInGoodOrderLosesAndRepeatsNothing() throws Exception {
    loseNothingWhile(
        "server.terminated",
        SharedPostgres.freshDatabase(),
        server -> server.command().terminate());
  }

  @Test
  @Tag("soak")
  void aKilledServerThatIsStartedAgainLosesAndRepeatsNothing() throws Exception {
    loseNothingWhile(
        "server.killed", SharedPostgres.freshDatabase(), server -> server.command().kill());
  }

  /** It ends as by a power cut, so that it also has to recover. */
  private void losePostgresFor(String figure, Duration outage) throws Exception {
    try (var postgres = EmbeddedPostgres.builder(folder.resolve("pg")).start()) {
      postgres.createDatabase("restart");
      loseNothingWhile(
          figure,
          postgres.jdbcUrl("restart"),
          server -> {
            postgres.kill();
            await().pollDelay(outage).atMost(PATIENCE).until(() -> true);
            postgres.restart();
          });
    }
  }

  /** What happens to the server or to what it stands on. */
  @FunctionalInterface
  private interface Blow {
    void strike(ServerProcess server) throws Exception;
  }

  private void loseNothingWhile(String figure, String database, Blow blow) throws Exception {
    try (var server = ServerProcess.start(folder, database, ServerProcess.freePort());
        var one = WorkerProcess.start(folder, server.address());
        var two = WorkerProcess.start(folder, server.address());
        var client = KagziClient.connect(server.address());
        var load = new Load(client)) {
      load.awaitMore(SOME);
      long downNanos = System.nanoTime();
      blow.strike(server);
      try (var restarted = startAgainIfGone(server, database)) {
        Figures.printSeconds(figure + ".down_for", downNanos);
        long backNanos = System.nanoTime();
        load.awaitMore(1);
        Figures.printSeconds(figure + ".next_start_after", backNanos);
        load.awaitMore(SOME);
        load.end();
        load.awaitResults();
        Figures.printSeconds(figure + ".all_done_after", backNanos);
        report(figure, load);
        assertThat(Ledger.in(folder).repeatedAfterAcknowledgement()).isEmpty();
        assertThat(Ledger.in(folder).repeated()).isEmpty();
        var records = new Records(database);
        assertThat(records.offlineEvents()).isEmpty();
        assertThat(records.onlineWorkers())
            .containsExactlyInAnyOrder(one.workerId(), two.workerId());
        assertThat(restarted.command().err()).doesNotContain("incident");
      }
    }
  }

  private ServerProcess startAgainIfGone(ServerProcess server, String database) throws Exception {
    return server.command().isAlive()
        ? server
        : ServerProcess.start(folder, database, server.port());
  }

  private void report(String figure, Load load) throws Exception {
    var ledger = Ledger.in(folder);
    Figures.print(figure + ".acknowledged_and_finished", load.acknowledged());
    Figures.print(figure + ".unanswered", load.unanswered());
    Figures.print(figure + ".slowest_start", load.slowest());
    Figures.print(figure + ".executed_again", ledger.repeated().size());
  }
}
