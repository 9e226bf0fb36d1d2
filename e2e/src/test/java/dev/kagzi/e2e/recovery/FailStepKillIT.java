package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Duration;
import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The only server is killed with kill -9 while fifty runs report failed attempts all the time. Each
 * execution of a step must be one recorded attempt, and each run must end as its number says.
 */
@ResourceLock(Lanes.PROCESSES)
class FailStepKillIT {
  private static final int RUNS = 50;
  private static final int KILLS = 20;
  private static final int BUDGET = 5;
  private static final int BACKOFF_NANOS = 10_000_000;
  private static final int EXECUTIONS_BETWEEN_KILLS = 200;
  private static final int LONGEST_RESPITE_MILLIS = 500;
  private static final java.time.Duration PATIENCE = java.time.Duration.ofSeconds(60);
  private static final WorkflowType<Integer, Integer> FALLIBLE =
      WorkflowType.of("fallible", Integer.class, Integer.class);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger executions = new AtomicInteger();
  private final Map<String, Integer> executionsOf = new ConcurrentHashMap<>();

  /** Runs whose step has failed and whose next attempt has not begun. */
  private final Map<String, Integer> failed = new ConcurrentHashMap<>();

  /** One that is thrown thousands of times, and of which nobody wants to read where. */
  private static final class Declined extends Exception {
    private static final long serialVersionUID = 1;

    Declined() {
      super("declined", null, false, false);
    }
  }

  @Test
  @Tag("soak")
  void noAttemptIsLostOrDoubledAndEveryRunEnds() throws Exception {
    long seed = System.nanoTime();
    System.out.println("failstep.seed: " + seed);
    try (var server = ServerProcess.start(folder, database);
        var worker = startWorker(server.address());
        var client = KagziClient.connect(server.address())) {
      var runs = startRuns(server.address());
      int caught = kill(server, new Random(seed));
      over.set(true);
      long backNanos = System.nanoTime();
      int wrongEnds = awaitEnds(client, runs);
      Figures.printSeconds("failstep.all_done_after", backNanos);
      var records = new Records(database);
      long wrong = records.wrongSteps(BUDGET) + records.leftBehind() + wrongEnds;
      Figures.print("failstep.kills", KILLS);
      Figures.print("failstep.failed_attempts_open_at_kills", caught);
      Figures.print("failstep.executions", executions);
      Figures.print("failstep.runs", RUNS);
      Figures.print("failstep.lost_leases", records.lostLeases());
      Figures.print("failstep.wrong", wrong);
      assertThat(wrong).isZero();
      assertThat(records.attempts()).isEqualTo(executions.get());
      assertThat(records.endedRuns()).isEqualTo(RUNS);
      assertThat(caught).isGreaterThan(KILLS);
      assertThat(worker.activeCount()).isZero();
    }
  }

  private Worker startWorker(String address) {
    var worker =
        Worker.builder(address, WorkerProgram.QUEUE)
            .maxConcurrent(RUNS)
            .register(FALLIBLE, this::failAgainAndAgain)
            .build();
    worker.start();
    return worker;
  }

  /** Goes on until the killing is over; then odd runs fail for good. */
  private Integer failAgainAndAgain(WorkflowContext ctx, Integer number) {
    int rounds = 0;
    do {
      rounds++;
      step(ctx, "charge-" + rounds, BUDGET - 1);
    } while (ctx.step("more", Boolean.class, () -> count(!over.get())));
    step(ctx, "end", number % 2 == 0 ? BUDGET - 1 : BUDGET);
    return number;
  }

  private void step(WorkflowContext ctx, String name, int faults) {
    ctx.step(
        name,
        () -> {
          failed.remove(ctx.runId());
          int execution = count(executionsOf.merge(ctx.runId() + name, 1, Integer::sum));
          if (execution <= faults) {
            failed.put(ctx.runId(), execution);
            throw new Declined();
          }
        });
  }

  private <T> T count(T value) {
    executions.incrementAndGet();
    return value;
  }

  /** By the wire contract, which has had words for the policy from the beginning. */
  private static List<String> startRuns(String address) {
    var channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
    try {
      var starts = WorkflowServiceGrpc.newBlockingStub(channel);
      return IntStream.range(0, RUNS)
          .mapToObj(number -> starts.startWorkflow(request(number)).getRunId())
          .toList();
    } finally {
      channel.shutdownNow();
    }
  }

  private static StartWorkflowRequest request(int number) {
    var backoff = Duration.newBuilder().setNanos(BACKOFF_NANOS);
    return StartWorkflowRequest.newBuilder()
        .setWorkflowType(FALLIBLE.name())
        .setTaskQueue(WorkerProgram.QUEUE)
        .setInput(Payload.newBuilder().setJson(String.valueOf(number)))
        .setRetryPolicy(
            RetryPolicy.newBuilder()
                .setMaximumAttempts(BUDGET)
                .setInitialInterval(backoff)
                .setBackoffCoefficient(1)
                .setMaximumInterval(backoff))
        .build();
  }

  /** Each time when work flows again; returns how many failed attempts were open then. */
  private int kill(ServerProcess server, Random random) throws Exception {
    int caught = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      int enough = executions.get() + EXECUTIONS_BETWEEN_KILLS;
      await().atMost(PATIENCE).until(() -> executions.get() >= enough);
      var respite = java.time.Duration.ofMillis(random.nextInt(LONGEST_RESPITE_MILLIS));
      await().pollDelay(respite).atMost(PATIENCE).until(() -> true);
      caught += failed.size();
      server.kill();
      server.startAgain();
    }
    return caught;
  }

  /** How many ended otherwise than their numbers say. */
  private static int awaitEnds(KagziClient client, List<String> runs) throws Exception {
    int wrong = 0;
    for (int number = 0; number < RUNS; number++) {
      String expected = number % 2 == 0 ? "result " + number : "failed in end";
      wrong += end(client.handle(runs.get(number), Integer.class)).equals(expected) ? 0 : 1;
    }
    return wrong;
  }

  private static String end(WorkflowHandle<Integer> run) throws Exception {
    try {
      return "result " + run.result(PATIENCE);
    } catch (WorkflowFailedException failure) {
      return "failed in " + failure.failedStep().orElse("nothing");
    }
  }
}
