package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A process that holds a hundred runs is killed with kill -9; another one goes on with them. */
@Order(1)
@ResourceLock(Lanes.PROCESSES)
class KillIT {
  private static final int RUNS = 100;
  private static final double PROMISED_SECONDS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(20);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final Records records = new Records(database);
  private final List<WorkerProcess> started = new ArrayList<>();

  @Test
  void theRunsOfAKilledWorkerGoOnElsewhereWithinTenSeconds() throws Exception {
    killWorkers(1);
  }

  @Test
  @Tag("soak")
  void theRunsOfFiveKilledWorkersGoOnElsewhereWithinTenSecondsEach() throws Exception {
    killWorkers(5);
  }

  @Test
  void theRunsOfAKilledApplicationGoOnElsewhereWithinTenSeconds() throws Exception {
    killApplications(1);
  }

  @Test
  @Tag("soak")
  void theRunsOfFiveKilledApplicationsGoOnElsewhereWithinTenSecondsEach() throws Exception {
    killApplications(5);
  }

  @AfterEach
  void endWorkers() {
    started.forEach(WorkerProcess::close);
  }

  private void killWorkers(int kills) throws Exception {
    try (var server = KagziServer.start(defaults());
        var client = KagziClient.connect("127.0.0.1:" + server.grpcPort())) {
      var address = "127.0.0.1:" + server.grpcPort();
      startWorker(address);
      var runs = startRuns(client);
      killOneAfterTheOther("kill.remote", kills, address);
      letThrough(client, runs);
    }
  }

  private ServerConfig defaults() {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(database))
        .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .build();
  }

  /** Nobody but the application that survives may notice the death of the other. */
  private void killApplications(int kills) throws Exception {
    try (var pool = WorkerProgram.pool(database)) {
      startWorker(database);
      List<String> runs;
      try (var kagzi = Kagzi.embedded(pool).start();
          var client = KagziClient.connect(kagzi.address())) {
        runs = startRuns(client);
      }
      killOneAfterTheOther("kill.embedded", kills, database);
      try (var kagzi = Kagzi.embedded(pool).start();
          var client = KagziClient.connect(kagzi.address())) {
        letThrough(client, runs);
      }
    }
  }

  private static List<String> startRuns(KagziClient client) {
    return IntStream.range(0, RUNS)
        .mapToObj(number ->
            client.start(WorkerProgram.GATE).input(number).queue(WorkerProgram.QUEUE).send())
        .map(WorkflowHandle::runId)
        .toList();
  }

  /** Each survivor is the next one's victim, so the runs lose their worker again and again. */
  private void killOneAfterTheOther(String figure, int kills, String server) throws Exception {
    for (int kill = 1; kill <= kills; kill++) {
      var holder = started.getLast();
      awaitRunsOn(holder);
      var survivor = startWorker(server);
      long killedNanos = System.nanoTime();
      holder.command().kill();
      awaitRunsOn(survivor);
      double seconds = Figures.printSeconds(figure + "." + kill, killedNanos);
      assertThat(seconds).isLessThanOrEqualTo(PROMISED_SECONDS);
      assertThat(records.runsHeldBy(survivor.workerId())).isEqualTo(RUNS);
    }
    assertThat(records.offlineEvents()).hasSize(kills);
    assertThat(records.onlineWorkers()).containsExactly(started.getLast().workerId());
  }

  private WorkerProcess startWorker(String server) throws Exception {
    var worker = WorkerProcess.start(folder, server);
    started.add(worker);
    return worker;
  }

  /** Their steps have begun there: the ledger is written by the step itself. */
  private void awaitRunsOn(WorkerProcess worker) {
    var ledger = Ledger.in(folder);
    await()
        .pollInterval(LOOK)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(ledger.runsIn(worker.pid())).isEqualTo(RUNS));
  }

  private void letThrough(KagziClient client, List<String> runs) throws Exception {
    Files.createFile(WorkerProgram.gate(folder));
    for (int number = 0; number < RUNS; number++) {
      assertThat(client.handle(runs.get(number), Integer.class).result(PATIENCE)).isEqualTo(number);
    }
  }
}
