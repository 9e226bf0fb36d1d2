package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Workers are killed with kill -9 while a run has a child for each of many items. */
@ResourceLock(Lanes.PROCESSES)
class MapKillIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long MOST_HISTORY = 100 * 1024;

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final Records records = new Records(database);
  private final List<WorkerProcess> started = new ArrayList<>();

  @AfterEach
  void endWorkers() {
    started.forEach(WorkerProcess::close);
  }

  @Test
  void everyItemHasOneChildWhateverIsKilled() throws Exception {
    try (var server = KagziServer.start(defaults());
        var client = KagziClient.connect("127.0.0.1:" + server.grpcPort())) {
      mapWithKills(server, client, 300, 1);
    }
  }

  @Test
  @Tag("soak")
  void tenThousandItemsTakeTimeInProportionAndHaveOneChildEach() throws Exception {
    try (var server = KagziServer.start(defaults());
        var client = KagziClient.connect("127.0.0.1:" + server.grpcPort())) {
      startWorker(server);
      double first = 0;
      for (int items : List.of(2_500, 5_000, 10_000)) {
        long began = System.nanoTime();
        check(start(client, items), items);
        double seconds = Figures.printSeconds("child_map." + items, began);
        if (items == 2_500) {
          first = seconds;
        } else {
          assertThat(seconds).isLessThan(2 * first * items / 2_500);
        }
      }
      mapWithKills(server, client, 10_000, 5);
    }
  }

  private void mapWithKills(KagziServer server, KagziClient client, int items, int kills)
      throws Exception {
    startWorker(server);
    long before = Ledger.in(folder).entries().size();
    WorkflowHandle<Long> handle = start(client, items);
    for (int kill = 1; kill <= kills; kill++) {
      var survivor = startWorker(server);
      awaitEntries(before + (long) kill * items / (kills + 1));
      started.get(started.indexOf(survivor) - 1).command().kill();
    }
    check(handle, items);
    Figures.print("child_map.kills", kills);
    Figures.print("child_map.executions_repeated", Ledger.in(folder).repeated().size());
  }

  private void awaitEntries(long count) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> Ledger.in(folder).entries().size() >= count);
  }

  private static WorkflowHandle<Long> start(KagziClient client, int items) {
    return client.start(MapProgram.MAP).input(items).queue(WorkerProgram.QUEUE).send();
  }

  private void check(WorkflowHandle<Long> handle, int items) throws Exception {
    assertThat(handle.result(PATIENCE)).isEqualTo((long) items * (items - 1) / 2);
    assertThat(records.children(handle.runId())).containsExactly((long) items, (long) items);
    long bytes = records.historyBytes(handle.runId());
    Figures.print("child_map." + items + ".history_bytes", bytes);
    assertThat(bytes).isLessThan(MOST_HISTORY);
  }

  private ServerConfig defaults() {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(database))
        .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .build();
  }

  private WorkerProcess startWorker(KagziServer server) throws Exception {
    var worker = WorkerProcess.start(folder, "127.0.0.1:" + server.grpcPort());
    started.add(worker);
    return worker;
  }
}
