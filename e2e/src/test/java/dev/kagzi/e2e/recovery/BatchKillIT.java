package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.v1.Batch;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The server that retries failed runs in bulk is killed with kill -9; another one goes on. */
@ResourceLock(Lanes.PROCESSES)
@Tag("soak")
class BatchKillIT {
  private static final int RUNS = 10_000;
  private static final int PER_SECOND = 500;
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LOOK = Duration.ofMillis(50);

  private static final String INSERT_FAILED =
      """
      WITH failed AS (
        INSERT INTO kagzi.finished_runs (
          run_id, namespace_id, task_queue, workflow_type, version, status, lease_epoch, failures,
          crashes, retries, created_at, finished_at)
        SELECT run_id, 'default', '%s', '%s', '', 'FAILED', 1, 0, 0, 0, now(), now()
        FROM unnest(?::uuid[]) AS ids(run_id)
        RETURNING run_id
      )
      INSERT INTO kagzi.workflow_payloads (run_id, input) SELECT run_id, '7'::bytea FROM failed
      """
          .formatted(WorkerProgram.QUEUE, WorkerProgram.STEPS.name());

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final Records records = new Records(database);

  @Test
  void aBatchMissesNoRunAndRetriesNoneTwiceWhenItsServerIsKilled() throws Exception {
    try (var first = ServerProcess.start(folder, database);
        var second = ServerProcess.start(folder, database);
        var worker = WorkerProcess.start(folder, second.address())) {
      insertFailedRuns();
      long beganNanos = System.nanoTime();
      var batch = startBatch(first.address());
      await().atMost(PATIENCE).pollInterval(LOOK).until(() -> records.retriedRuns() > RUNS / 4);
      first.kill();
      long doneBefore = records.retriedRuns();
      long killedNanos = System.nanoTime();
      await().atMost(PATIENCE).pollInterval(LOOK).until(() -> records.retriedRuns() > doneBefore);
      Figures.print("batch.retried_before_the_kill", doneBefore);
      Figures.printSeconds("batch.stood_still", killedNanos);

      Batch end = awaitEnd(second.address(), batch);

      Figures.printSeconds("batch.took", beganNanos);
      assertThat(end.getSucceeded()).isEqualTo(RUNS);
      assertThat(end.getFailed() + end.getSkipped()).isZero();
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(records.runsRetriedOnceAndCompleted()).isEqualTo(RUNS));
      assertThat(Ledger.in(folder).repeated()).isEmpty();
      assertThat(worker.pid()).isPositive();
    }
  }

  private void insertFailedRuns() throws SQLException {
    var ids = new TimeOrderedIds(InstantSource.system());
    UUID[] runs = Stream.generate(ids::next).limit(RUNS).toArray(UUID[]::new);
    try (var connection = DriverManager.getConnection(database);
        var insert = connection.prepareStatement(INSERT_FAILED)) {
      insert.setArray(1, connection.createArrayOf("uuid", runs));
      assertThat(insert.executeUpdate()).isEqualTo(RUNS);
    }
  }

  private static String startBatch(String address) {
    return ask(
        address,
        server ->
            server
                .startBatch(
                    StartBatchRequest.newBuilder()
                        .setOperation(BatchOperation.BATCH_OPERATION_RETRY)
                        .setFilter(
                            WorkflowFilter.newBuilder()
                                .addWorkflowTypes(WorkerProgram.STEPS.name()))
                        .setRatePerSecond(PER_SECOND)
                        .build())
                .getBatch()
                .getBatchId());
  }

  private static Batch awaitEnd(String address, String batchId) {
    var asked = GetBatchRequest.newBuilder().setBatchId(batchId).build();
    return await()
        .atMost(PATIENCE)
        .until(
            () -> ask(address, server -> server.getBatch(asked).getBatch()),
            batch -> batch.getStatus() == BatchStatus.BATCH_STATUS_COMPLETED);
  }

  private static <R> R ask(
      String address, java.util.function.Function<WorkflowServiceBlockingStub, R> call) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
    try {
      return call.apply(WorkflowServiceGrpc.newBlockingStub(channel));
    } finally {
      channel.shutdownNow();
    }
  }
}
