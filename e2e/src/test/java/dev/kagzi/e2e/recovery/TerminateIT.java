package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A worker process gets SIGTERM while it executes short runs and holds others that do not end in
 * time. It leaves in good order: nobody takes it for dead, and nothing is held against the runs.
 */
@ResourceLock(Lanes.PROCESSES)
class TerminateIT {
  private static final int HELD = 20;
  private static final int SOME = 50;
  private static final Duration DRAIN = Duration.ofSeconds(3);
  private static final double PROMISED_SECONDS = DRAIN.toSeconds() + 2;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void aWorkerThatIsTerminatedUnderLoadLeavesInTimeAndChargesNothing() throws Exception {
    var database = SharedPostgres.freshDatabase();
    try (var server = ServerProcess.start(folder, database);
        var client = KagziClient.connect(server.address());
        var leaving = WorkerProcess.start(folder, server.address(), DRAIN)) {
      var held = hold(client);
      awaitOn(leaving, held);
      try (var staying = WorkerProcess.start(folder, server.address());
          var load = new Load(client)) {
        load.awaitMore(SOME);

        long asked = System.nanoTime();
        leaving.command().terminate();
        double exit = Figures.printSeconds("worker.terminated.exit", asked);

        awaitOn(staying, held);
        Figures.printSeconds("worker.terminated.runs_elsewhere_after", asked);
        load.awaitMore(SOME);
        load.end();
        load.awaitResults();
        Files.createFile(WorkerProgram.gate(folder));
        for (int number = 0; number < HELD; number++) {
          assertThat(held.get(number).result(PATIENCE)).isEqualTo(number);
        }
        load.print("worker.terminated");
        assertThat(exit).isLessThanOrEqualTo(PROMISED_SECONDS);
        assertUncharged(new Records(database), "worker.terminated");
        assertThat(new Records(database).onlineWorkers()).containsExactly(staying.workerId());
        assertThat(Ledger.in(folder).repeatedAfterAcknowledgement()).isEmpty();
      }
    }
  }

  /** Nobody was taken for dead, no lease ran out, and no attempt counts as failed. */
  static void assertUncharged(Records records, String figure) throws Exception {
    Figures.print(figure + ".leases_expired", records.lostLeases());
    Figures.print(figure + ".attempts_charged", records.failedAttempts());
    assertThat(records.lostLeases()).isZero();
    assertThat(records.failedAttempts()).isZero();
    assertThat(records.offlineEvents()).isEmpty();
  }

  private static List<WorkflowHandle<Integer>> hold(KagziClient client) {
    return IntStream.range(0, HELD)
        .mapToObj(number ->
            client.start(WorkerProgram.GATE).input(number).queue(WorkerProgram.QUEUE).send())
        .toList();
  }

  /** Their steps have begun there; the short runs of the load do not count. */
  private void awaitOn(WorkerProcess worker, List<WorkflowHandle<Integer>> held) {
    var ids = held.stream().map(WorkflowHandle::runId).toList();
    var ledger = Ledger.in(folder);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(ledger.entries())
                .filteredOn(entry -> entry.pid() == worker.pid())
                .extracting(Ledger.Entry::run)
                .containsAll(ids));
  }
}
