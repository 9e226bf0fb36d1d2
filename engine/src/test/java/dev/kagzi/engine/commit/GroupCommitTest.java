package dev.kagzi.engine.commit;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.CountingDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupCommitTest {

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private final CountingDataSource counting = new CountingDataSource(pool);
  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.on(counting.dataSource());
  }

  @AfterAll
  void stop() {
    kagzi.close();
    pool.close();
  }

  @Test
  void writesManyCallersInFewTransactions() throws Exception {
    long before = counting.commits();

    List<Future<StartOutcome>> starts =
        allAtOnce(2000, i -> kagzi.engine().workflows().start(TestEngine.request().build()));
    Set<Object> runs = starts.stream().map(this::runId).collect(Collectors.toSet());

    assertThat(runs).hasSize(2000);
    assertThat(counting.commits() - before).isLessThan(400);
    finishEverything();
  }

  @Test
  void makesOneRunOutOfStartsThatCompeteForAnExternalId() throws Exception {
    List<Future<StartOutcome>> starts =
        allAtOnce(
            500,
            i ->
                kagzi
                    .engine()
                    .workflows()
                    .start(TestEngine.request().externalId("order-" + i % 5).build()));

    assertThat(starts.stream().map(this::runId).collect(Collectors.toSet())).hasSize(5);
    finishEverything();
  }

  @Test
  void answersThousandsWhoCompeteForOneExternalIdInFewTransactions() throws Exception {
    long before = counting.commits();

    List<Future<StartOutcome>> starts =
        allAtOnce(
            5000,
            i ->
                kagzi
                    .engine()
                    .workflows()
                    .start(TestEngine.request().externalId("one-for-all").build()));

    assertThat(starts.stream().map(this::runId).collect(Collectors.toSet())).hasSize(1);
    assertThat(counting.commits() - before).isLessThan(400);
    finishEverything();
  }

  @Test
  void aCallerWhoMayWaitCommitsHimself() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    var heard = new CompletableFuture<Thread>();

    kagzi
        .engine()
        .tasks()
        .completeStep(
            fence(task),
            worker,
            result("own", "1"),
            List.of(),
            new CommitListener<>() {
              @Override
              public boolean mayWait() {
                return true;
              }

              @Override
              public void committed(Heard<StepOutcome> answer) {
                heard.complete(Thread.currentThread());
              }

              @Override
              public void refused(Throwable refusal) {
                heard.completeExceptionally(refusal);
              }
            });

    assertThat(heard).isCompletedWithValue(Thread.currentThread());
    finish(task);
  }

  @Test
  void refusesOnlyTheBadItemOfABatch() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    List<Future<StepOutcome>> results =
        allAtOnce(
            100,
            i -> {
              String key = i == 50 ? "bad\0key" : "step-" + i;
              return kagzi
                  .engine()
                  .tasks()
                  .completeStep(fence(task), worker, result(key, "1"))
                  .outcome();
            });

    for (int i = 0; i < results.size(); i++) {
      if (i == 50) {
        assertThat(refusal(results.get(i)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      } else {
        assertThat(results.get(i).get()).isInstanceOf(StepOutcome.Recorded.class);
      }
    }
    finish(task);
  }

  @Test
  void answersEachOfManyReportsOfTheSameStep() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    List<Future<StepOutcome>> results =
        allAtOnce(
            50,
            i ->
                kagzi
                    .engine()
                    .tasks()
                    .completeStep(fence(task), worker, result("charge", "1"))
                    .outcome());

    for (Future<StepOutcome> outcome : results) {
      assertThat(outcome.get()).isInstanceOf(StepOutcome.Recorded.class);
    }
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  @Test
  void resultsDoNotWaitForAStartThatWaitsForItsExternalId() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    IntStream.range(0, 8).forEach(i -> kagzi.startRun());
    List<Task> tasks = kagzi.poll(worker, 8, Duration.ofSeconds(5));
    StartOutcome holder = startAs("held");
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
        Connection other = pool.getConnection()) {
      other.setAutoCommit(false);
      try (Statement end = other.createStatement()) {
        end.executeUpdate("DELETE FROM kagzi.workflow_runs WHERE external_id = 'held'");
      }
      Future<StartOutcome> waits = callers.submit(() -> startAs("held"));
      await().until(this::aBackendWaitsForAnother);

      List<Future<?>> results = new ArrayList<>();
      tasks.forEach(task -> results.add(callers.submit(() -> finish(task))));

      for (Future<?> result : results) {
        result.get(5, TimeUnit.SECONDS);
      }
      assertThat(tasks).hasSize(8);
      assertThat(waits).isNotDone();
      other.rollback();
      assertThat(waits.get().runId()).isEqualTo(holder.runId());
    }
    finishEverything();
  }

  private StartOutcome startAs(String externalId) {
    return kagzi.engine().workflows().start(TestEngine.request().externalId(externalId).build());
  }

  private boolean aBackendWaitsForAnother() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    """
                    SELECT EXISTS (
                      SELECT 1 FROM pg_stat_activity
                      WHERE datname = current_database()
                        AND cardinality(pg_blocking_pids(pid)) > 0) AS waits
                    """)
                .only(row -> row.bool("waits")));
  }

  private void finishEverything() {
    WorkerId worker = kagzi.registerWorker();
    List<Task> tasks = kagzi.poll(worker, 100, Duration.ofMillis(200));
    while (!tasks.isEmpty()) {
      tasks.parallelStream().forEach(this::finish);
      tasks = kagzi.poll(worker, 100, Duration.ofMillis(200));
    }
  }

  private void finish(Task task) {
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  private Object runId(Future<StartOutcome> start) {
    return start.resultNow().runId();
  }

  private static EngineException refusal(Future<?> future) {
    return (EngineException) future.exceptionNow();
  }

  private interface Call<T> {
    T run(int i);
  }

  private static <T> List<Future<T>> allAtOnce(int count, Call<T> call) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<T>> calls = new ArrayList<>();
      IntStream.range(0, count).forEach(i -> calls.add(() -> call.run(i)));
      return callers.invokeAll(calls);
    }
  }
}
