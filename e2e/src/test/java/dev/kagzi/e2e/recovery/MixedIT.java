package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A server of its own and one inside an application share a database, and the work. */
@ResourceLock(Lanes.PROCESSES)
class MixedIT {
  private static final int RUNS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final WorkflowType<Integer, String> INSIDE =
      WorkflowType.of("inside", Integer.class, String.class);
  private static final WorkflowType<Integer, String> OUTSIDE =
      WorkflowType.of("outside", Integer.class, String.class);

  @TempDir Path folder;

  @Test
  void runsStartedAtEitherServerAreExecutedAtTheOtherAndAwaitedAtTheFirst() throws Exception {
    var database = SharedPostgres.freshDatabase();
    try (var server = ServerProcess.start(folder, database);
        var pool = WorkerProgram.pool(database);
        var kagzi = Kagzi.embedded(pool).start();
        var inside = startWorker(kagzi.address(), INSIDE);
        var outside = startWorker(server.address(), OUTSIDE);
        var here = KagziClient.connect(kagzi.address());
        var there = KagziClient.connect(server.address())) {
      long startedNanos = System.nanoTime();

      assertThat(results(here, OUTSIDE)).isEqualTo(expected(OUTSIDE));
      assertThat(results(there, INSIDE)).isEqualTo(expected(INSIDE));

      Figures.printSeconds("mixed.runs_%d".formatted(2 * RUNS), startedNanos);
      var records = new Records(database);
      assertThat(records.onlineWorkers())
          .containsExactlyInAnyOrder(
              inside.workerId().orElseThrow(), outside.workerId().orElseThrow());
    }
  }

  /** Serves one type only, so that nobody else can have executed it. */
  private static Worker startWorker(String address, WorkflowType<Integer, String> type) {
    var worker =
        Worker.builder(address, WorkerProgram.QUEUE)
            .register(
                type, (ctx, number) -> ctx.step("say", String.class, () -> type + " " + number))
            .build();
    worker.start();
    return worker;
  }

  private static List<String> results(KagziClient client, WorkflowType<Integer, String> type)
      throws Exception {
    var runs =
        IntStream.range(0, RUNS)
            .mapToObj(number -> client.start(type).input(number).queue(WorkerProgram.QUEUE).send())
            .toList();
    var results = new ArrayList<String>();
    for (var run : runs) {
      results.add(run.result(PATIENCE));
    }
    return results;
  }

  private static List<String> expected(WorkflowType<Integer, String> type) {
    return IntStream.range(0, RUNS).mapToObj(number -> type + " " + number).toList();
  }
}
