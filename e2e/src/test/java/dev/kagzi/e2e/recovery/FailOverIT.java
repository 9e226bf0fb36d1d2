package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Clients and a worker know two servers, of which one is killed with kill -9. Chance decides who of
 * them uses which, so there are several clients.
 */
@ResourceLock(Lanes.PROCESSES)
class FailOverIT {
  private static final int HELD = 20;
  private static final int SOME = 50;
  private static final int CLIENTS = 6;
  private static final double CALL_LIMIT_SECONDS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();

  @Test
  void theOtherServerAnswersTheNextCallAndTheWorkerKeepsItsRuns() throws Exception {
    try (var doomed = ServerProcess.start(folder, database);
        var other = ServerProcess.start(folder, database);
        var worker = WorkerProcess.start(folder, doomed.address() + "," + other.address())) {
      var clients =
          Stream.generate(() -> KagziClient.connect(doomed.address() + "," + other.address()))
              .limit(CLIENTS)
              .toList();
      var held =
          IntStream.range(0, HELD)
              .mapToObj(number -> startAtTheGate(clients.get(number % CLIENTS)))
              .toList();
      await()
          .atMost(PATIENCE)
          .until(() -> Ledger.in(folder).runsIn(worker.pid()), runs -> runs == HELD);

      doomed.kill();

      long killedNanos = System.nanoTime();
      var late = clients.stream().map(FailOverIT::startAtTheGate).toList();
      assertThat(Figures.printSeconds("failover.next_start_after", killedNanos))
          .isLessThan(CALL_LIMIT_SECONDS);
      assertThat(held.getFirst().status()).isEqualTo(RunStatus.RUNNING);
      Files.createFile(WorkerProgram.gate(folder));
      awaitResults(held);
      awaitResults(late);
      Figures.printSeconds("failover.all_done_after", killedNanos);
      assertNothingWasRepeated(worker);
      clients.forEach(KagziClient::close);
    }
  }

  @Test
  @Tag("soak")
  void noStartIsLostAndNoStepRepeatedUnderLoad() throws Exception {
    try (var doomed = ServerProcess.start(folder, database);
        var other = ServerProcess.start(folder, database);
        var worker = WorkerProcess.start(folder, doomed.address() + "," + other.address());
        var client = KagziClient.connect(doomed.address() + "," + other.address());
        var load = new Load(client)) {
      load.awaitMore(SOME);

      doomed.kill();

      long killedNanos = System.nanoTime();
      load.awaitMore(SOME);
      load.end();
      assertThat(load.unanswered()).isZero();
      load.awaitResults();
      Figures.printSeconds("failover.load.all_done_after", killedNanos);
      load.print("failover.load");
      assertNothingWasRepeated(worker);
    }
  }

  private static WorkflowHandle<Integer> startAtTheGate(KagziClient client) {
    return client.start(WorkerProgram.GATE).input(1).queue(WorkerProgram.QUEUE).send();
  }

  private static void awaitResults(List<WorkflowHandle<Integer>> runs) throws Exception {
    for (var run : runs) {
      assertThat(run.result(PATIENCE)).isEqualTo(1);
    }
  }

  private void assertNothingWasRepeated(WorkerProcess worker) throws Exception {
    var records = new Records(database);
    assertThat(Ledger.in(folder).repeated()).isEmpty();
    assertThat(records.offlineEvents()).isEmpty();
    assertThat(records.onlineWorkers()).containsExactly(worker.workerId());
  }
}
