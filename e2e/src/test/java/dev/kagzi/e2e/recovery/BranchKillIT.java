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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Workers are killed with kill -9 while the branches of their runs go on beside each other. */
@Order(1)
@ResourceLock(Lanes.PROCESSES)
class BranchKillIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final Records records = new Records(database);
  private final List<WorkerProcess> started = new ArrayList<>();
  private final Map<Long, String> workersByPid = new HashMap<>();

  @Test
  void branchesComeToTheSameEndWhateverIsKilled() throws Exception {
    interleave(60, 1);
  }

  @Test
  @Tag("soak")
  void aThousandInterleavingsComeToTheSameEndWhateverIsKilled() throws Exception {
    interleave(1000, 12);
  }

  @AfterEach
  void endWorkers() {
    started.forEach(WorkerProcess::close);
  }

  private void interleave(int runs, int kills) throws Exception {
    try (var server = KagziServer.start(defaults());
        var client = KagziClient.connect("127.0.0.1:" + server.grpcPort())) {
      var address = "127.0.0.1:" + server.grpcPort();
      startWorker(address);
      List<WorkflowHandle<String>> handles = new ArrayList<>();
      for (int kill = 0; kill < kills; kill++) {
        int done = handles.size();
        int upTo = (kill + 1) * runs / kills;
        IntStream.range(done, upTo).forEach(seed -> handles.add(start(client, seed)));
        var survivor = startWorker(address);
        awaitBegun(handles.getLast());
        started.get(started.indexOf(survivor) - 1).command().kill();
      }
      for (int seed = 0; seed < runs; seed++) {
        assertThat(handles.get(seed).result(PATIENCE)).isEqualTo(BranchProgram.output(seed));
      }
      check(handles);
      Figures.print("branches.runs", runs);
      Figures.print("branches.kills", kills);
      Figures.print("branches.executions_repeated", Ledger.in(folder).repeated().size());
    }
  }

  private static WorkflowHandle<String> start(KagziClient client, int seed) {
    return client.start(BranchProgram.TYPE).input(seed).queue(WorkerProgram.QUEUE).send();
  }

  private void awaitBegun(WorkflowHandle<String> handle) {
    org.awaitility.Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() ->
            Ledger.in(folder).entries().stream()
                .anyMatch(entry -> entry.run().equals(handle.runId())));
  }

  /**
   * Each step is settled once, and nobody executed it after that: the last execution is the one of
   * the worker that settled it.
   */
  private void check(List<WorkflowHandle<String>> handles) throws Exception {
    Map<String, Map<Integer, Long>> lastExecutions = new HashMap<>();
    for (var entry : Ledger.in(folder).entries()) {
      lastExecutions
          .computeIfAbsent(entry.run(), run -> new HashMap<>())
          .put(entry.step(), entry.pid());
    }
    for (int seed = 0; seed < handles.size(); seed++) {
      String run = handles.get(seed).runId();
      assertThat(records.settledKeys(run))
          .containsExactlyInAnyOrderElementsOf(BranchProgram.keys(seed));
      for (var last : lastExecutions.getOrDefault(run, Map.of()).entrySet()) {
        String key = "work%d[%d]".formatted(last.getKey() / 10, last.getKey() % 10);
        if (BranchProgram.keys(seed).contains(key)) {
          assertThat(records.settledBy(run, key)).isEqualTo(workersByPid.get(last.getValue()));
        }
      }
    }
    assertThat(records.leftBehind()).isZero();
  }

  private ServerConfig defaults() {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(database))
        .set(ConfigKeys.DATABASE_MIGRATE, Migrate.AUTO)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .build();
  }

  private WorkerProcess startWorker(String server) throws Exception {
    var worker = WorkerProcess.start(folder, server);
    started.add(worker);
    workersByPid.put(worker.pid(), worker.workerId());
    return worker;
  }
}
