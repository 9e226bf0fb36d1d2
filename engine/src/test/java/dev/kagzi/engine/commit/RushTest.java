package dev.kagzi.engine.commit;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Commands about one thing that wait for the same lane each get an answer of their own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RushTest {

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;
  private Fence fence;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
  }

  @BeforeEach
  void claim() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
    worker = kagzi.registerWorker();
    kagzi.startRun();
    fence = fence(kagzi.pollOne(worker));
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  /** Queues calls behind one that waits for the run, and returns when all have been answered. */
  private <T> List<FutureTask<T>> rush(List<Callable<T>> calls) throws Exception {
    List<FutureTask<T>> answers = new ArrayList<>();
    FutureTask<StepOutcome> ahead =
        new FutureTask<>(() -> tasks.completeStep(fence, worker, result("ahead", "0")).outcome());
    try (Connection holder = kagzi.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("SELECT 1 FROM kagzi.workflow_runs FOR UPDATE");
      Thread.ofPlatform().start(ahead);
      await().until(this::somebodyWaitsForALock);
      for (Callable<T> call : calls) {
        FutureTask<T> answer = new FutureTask<>(call);
        answers.add(answer);
        Thread caller = Thread.ofPlatform().start(answer);
        await().until(() -> caller.getState() == Thread.State.WAITING);
      }
      holder.rollback();
      holder.setAutoCommit(true);
    }
    for (FutureTask<T> answer : answers) {
      await().atMost(10, TimeUnit.SECONDS).until(answer::isDone);
    }
    assertThat(ahead.get()).isInstanceOf(StepOutcome.Recorded.class);
    return answers;
  }

  private boolean somebodyWaitsForALock() throws SQLException {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    "SELECT count(*) > 0 AS waits FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .only(row -> row.bool("waits")));
  }

  private static StepResult attempt(int number, String output) {
    return new StepResult("charge", number, 1, StepKind.FUNCTION, payload(output), null);
  }

  @Test
  void ofTwoResultsOfAStepOneIsRecordedAndTheOtherIsToldWhich() throws Exception {
    List<FutureTask<StepOutcome>> answers =
        rush(
            List.of(
                () -> tasks.completeStep(fence, worker, attempt(1, "\"one\"")).outcome(),
                () -> tasks.completeStep(fence, worker, attempt(2, "\"two\"")).outcome()));

    assertThat(answers.get(0).get()).isInstanceOf(StepOutcome.Recorded.class);
    assertThat(answers.get(1).get())
        .isInstanceOfSatisfying(
            StepOutcome.AlreadySettled.class,
            settled -> assertThat(settled.recorded().output()).isEqualTo(payload("\"one\"")));
  }

  @Test
  void ofTwoEndsOfARunOneCountsAndTheOtherIsRefused() throws Exception {
    Failure broken = new Failure(ErrorKind.UNKNOWN, "shop.Broken", List.of(), "broken", "", null);
    List<FutureTask<FinishOutcome>> answers =
        rush(
            List.of(
                () -> tasks.finish(fence, new RunEnding.Completed(payload("1"))),
                () -> tasks.finish(fence, new RunEnding.Failed(broken, "charge"))));

    assertThat(answers.get(0).get()).isInstanceOf(FinishOutcome.Ended.class);
    assertThat(refusal(answers.get(1)).code()).isEqualTo(ErrorCode.RUN_TERMINAL);
  }

  private static StepResult marker(String key, SagaMarker saga) {
    return new StepResult(key, 1, 1, StepKind.MARKER, payload("null"), null, StepTraits.NONE, saga);
  }

  private CancelOutcome cancel() {
    return kagzi.engine().workflows().cancel("default", fence.runId(), "not wanted");
  }

  @Test
  void aCancelBehindTheOpeningOfASagaAsksTheRunToUndoItsWork() throws Exception {
    List<FutureTask<Object>> answers =
        rush(
            List.of(
                () -> tasks.completeStep(fence, worker, marker("saga", SagaMarker.OPEN)).outcome(),
                this::cancel));

    assertThat(answers.get(0).get()).isInstanceOf(StepOutcome.Recorded.class);
    assertThat(answers.get(1).get()).isInstanceOf(CancelOutcome.StopRequested.class);
    assertThat(kagzi.engine().workflows().get("default", fence.runId()).status())
        .isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void aCancelBehindTheClosingOfASagaEndsTheRunAtOnce() throws Exception {
    tasks.completeStep(fence, worker, marker("saga", SagaMarker.OPEN));

    List<FutureTask<Object>> answers =
        rush(
            List.of(
                () ->
                    tasks
                        .completeStep(fence, worker, marker("saga-end", SagaMarker.CLOSE))
                        .outcome(),
                this::cancel));

    assertThat(answers.get(1).get()).isInstanceOf(CancelOutcome.Cancelled.class);
  }

  private static EngineException refusal(FutureTask<?> answer) throws InterruptedException {
    try {
      throw new AssertionError("answered with " + answer.get());
    } catch (ExecutionException refused) {
      return (EngineException) Objects.requireNonNull(refused.getCause());
    }
  }
}
