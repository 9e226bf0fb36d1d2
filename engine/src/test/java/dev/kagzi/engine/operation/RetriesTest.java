package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.RetryOutcome.AlreadyActive;
import dev.kagzi.engine.domain.RetryOutcome.Retried;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RetriesTest {

  private TestEngine kagzi;
  private Retries retries;
  private FailedRuns runs;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    retries = kagzi.engine().retries();
    runs = new FailedRuns(kagzi);
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  /** No test leaves a run to the next. */
  @AfterEach
  void endWhatIsLive() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
    kagzi.execute("DELETE FROM kagzi.run_waits");
    kagzi.execute("DELETE FROM kagzi.running_steps");
  }

  @Test
  void goOnFromTheStepThatFailed() {
    RunId runId = runs.failInCharge();
    Run failed = get(runId);

    assertThat(retry(runId)).isEqualTo(new Retried(List.of("charge", "apologise")));

    Run back = get(runId);
    assertThat(back.status()).isEqualTo(RunStatus.PENDING);
    assertThat(back.retries()).isEqualTo(1);
    assertThat(back.epoch()).isEqualTo(failed.epoch());
    assertThat(back.times().createdAt()).isEqualTo(failed.times().createdAt());
    assertThat(back.ending()).isNull();
    Task task = kagzi.pollOne(runs.worker());
    assertThat(task.claim().epoch()).isEqualTo(failed.epoch() + 1);
    assertThat(task.history())
        .extracting(step -> step.stepKey() + " " + step.settled() + " " + step.attempt())
        .containsExactly("reserve true 1", "charge false 2", "apologise false 1");
    RecordedStep charge = task.history().get(1);
    assertThat(charge.failures()).isZero();
    assertThat(charge.status()).isNull();
    assertThat(charge.error()).isNull();
    assertThat(charge.retryAt()).isNull();
  }

  @Test
  void settleAStepAnewUnderTheNextNumber() {
    RunId runId = runs.failInCharge();
    retry(runId);
    Task task = kagzi.pollOne(runs.worker());

    StepResult result =
        new StepResult("charge", 3, 2, StepKind.FUNCTION, payload("\"paid\""), null);
    assertThat(kagzi.engine().tasks().completeStep(fence(task), runs.worker(), result).outcome())
        .isEqualTo(new StepOutcome.Recorded());
    kagzi.engine().tasks().release(fence(task));

    RecordedStep charge = kagzi.pollOne(runs.worker()).history().get(1);
    assertThat(charge.settled()).isTrue();
    assertThat(charge.attempt()).isEqualTo(3);
    assertThat(charge.output()).isEqualTo(payload("\"paid\""));
  }

  @Test
  void giveTheFailedStepItsWholeBudgetAgain() {
    RunId runId = runs.failInCharge();
    retry(runId);
    Task task = kagzi.pollOne(runs.worker());

    runs.fail(task, "charge", 3, 2, false);
    kagzi.engine().tasks().release(fence(task));

    RecordedStep charge = kagzi.pollOne(runs.worker()).history().get(1);
    assertThat(charge.settled()).isFalse();
    assertThat(charge.attempt()).isEqualTo(3);
    assertThat(charge.failures()).isEqualTo(1);
  }

  @Test
  void reachAWaitingWorkerWithoutItsLooking() {
    EngineConfig config = EngineConfig.defaults();
    EngineConfig.Intervals every = config.intervals();
    EngineConfig neverLooks =
        new EngineConfig(
            config.leases(),
            new EngineConfig.Intervals(
                every.nodeBeat(), every.coordinator(), Duration.ofHours(1), every.pollTimeout()),
            config.commit(),
            config.node());
    try (TestEngine told = TestEngine.start(neverLooks)) {
      FailedRuns failing = new FailedRuns(told);
      RunId runId = failing.failInCharge();
      CompletableFuture<Task> polled =
          CompletableFuture.supplyAsync(() -> told.pollOne(failing.worker()));
      await().pollDelay(Duration.ofMillis(200)).until(() -> true);

      told.engine().retries().retry(NAMESPACE, runId, null);

      assertThat(polled.join().claim().runId()).isEqualTo(runId);
    }
  }

  @Test
  void keepWhatSiblingsOfAParallelGroupHaveCompleted() {
    RunId runId = runs.failInCharge();
    kagzi.execute(
        "UPDATE kagzi.step_runs SET parallel_group_id = 'g' WHERE step_key IN ('charge',"
            + " 'apologise') AND run_id = '%s'".formatted(runId));

    assertThat(retry(runId)).isEqualTo(new Retried(List.of("charge")));
  }

  @Test
  void executeAgainWhatTheEndHadCancelledAndNothingThatWasCancelledBefore() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    begin(task, "loser", 1);
    kagzi.execute(
        """
        WITH lost AS (DELETE FROM kagzi.running_steps RETURNING *)
        INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,
          lease_epoch, finished_at)
        SELECT run_id, step_key, 1, seq, kind, 'CANCELLED', true, lease_epoch, started_at FROM lost
        """);
    begin(task, "slow", 2);
    Instant inAnHour = kagzi.engine().clock().instant().plusSeconds(3600);
    sleep(task, inAnHour);
    timeOut(runId);

    assertThat(retry(runId)).isEqualTo(new Retried(List.of("slow", "pause")));
    assertThat(kagzi.pollOne(runs.worker()).history())
        .extracting(step -> step.stepKey() + " " + step.settled())
        .containsExactly("loser true", "slow false", "pause false");
  }

  @Test
  void undoAnewWhatTheRunHadNotUndoneWhenItEnded() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    runs.complete(task, "reserve", 1, 1);
    runs.fail(task, "compensate:charge", 1, 2, true);
    kagzi.execute("UPDATE kagzi.step_runs SET compensation = true WHERE settled AND seq = 2");
    begin(task, "compensate:reserve", 3, new StepTraits(null, null, false, true));
    timeOut(runId);

    assertThat(retry(runId))
        .isEqualTo(new Retried(List.of("compensate:charge", "compensate:reserve")));
  }

  @Test
  void letATimerRingThatWasSuperseded() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    sleep(task, kagzi.engine().clock().instant().plusSeconds(3600));
    timeOut(runId);
    retry(runId);
    Task again = kagzi.pollOne(runs.worker());

    sleep(again, kagzi.engine().clock().instant().plusMillis(50));

    RecordedStep pause = kagzi.pollOne(runs.worker()).history().get(0);
    assertThat(pause.settled()).isTrue();
    assertThat(pause.attempt()).isEqualTo(2);
  }

  @Test
  void armTheTimeLimitAnew() {
    Duration limit = Duration.ofHours(1);
    RunId limited =
        runs.failInCharge(
            TestEngine.request().policies(new RunPolicies(null, null, null, limit, null, null)));
    kagzi.execute(
        "UPDATE kagzi.finished_runs SET created_at = created_at - interval '2 hours',"
            + " deadline_at = deadline_at - interval '2 hours'");
    Instant before = kagzi.engine().clock().instant();

    retry(limited);

    assertThat(get(limited).times().deadlineAt())
        .isBetween(before.plus(limit), kagzi.engine().clock().instant().plus(limit));
  }

  @Test
  void dropAGivenDeadlineOnlyIfItHasPassed() {
    Instant tomorrow = kagzi.engine().clock().instant().plus(Duration.ofDays(1));
    RunId past = runs.failInCharge(TestEngine.request().deadline(tomorrow));
    kagzi.execute(
        "UPDATE kagzi.finished_runs SET deadline_at = finished_at WHERE run_id = '%s'"
            .formatted(past));
    RunId future = runs.failInCharge(TestEngine.request().deadline(tomorrow));

    retry(past);
    retry(future);

    assertThat(get(past).times().deadlineAt()).isNull();
    assertThat(get(future).times().deadlineAt()).isEqualTo(tomorrow);
  }

  @Test
  void areRefusedWithAReason() {
    RunId completed = kagzi.startRun();
    runs.succeed(kagzi.pollOne(runs.worker()));
    RunId cancelled = kagzi.startRun();
    kagzi.engine().workflows().cancel(NAMESPACE, cancelled, "");
    RunId compensated = runs.failInCharge();
    kagzi.execute(
        "UPDATE kagzi.step_runs SET compensation = true WHERE step_key = 'apologise' AND run_id ="
            + " '%s'".formatted(compensated));
    RunId replaced = runs.failInCharge(TestEngine.request().externalId("order-1"));
    kagzi.engine().workflows().start(TestEngine.request().externalId("order-1").build());

    assertThat(refusalOf(completed)).isEqualTo(ErrorCode.RUN_TERMINAL);
    assertThat(refusalOf(cancelled)).isEqualTo(ErrorCode.RUN_CANCELLED);
    assertThat(refusalOf(compensated)).isEqualTo(ErrorCode.COMPENSATED);
    assertThat(refusalOf(replaced)).isEqualTo(ErrorCode.ALREADY_ACTIVE);
    assertThat(refusalOf(new RunId(UUID.randomUUID()))).isEqualTo(ErrorCode.RUN_NOT_FOUND);
    assertThat(get(replaced).status()).isEqualTo(RunStatus.FAILED);
    assertThat(get(replaced).retries()).isZero();
  }

  @Test
  void seeNoOtherNamespace() {
    kagzi.execute(
        "INSERT INTO kagzi.namespaces (namespace_id, created_at, updated_at)"
            + " VALUES ('other', now(), now()) ON CONFLICT DO NOTHING");
    RunId failed = runs.failInCharge();
    RunId live = kagzi.startRun();

    for (RunId runId : List.of(failed, live)) {
      assertThatThrownBy(() -> retries.retry("other", runId, null))
          .isInstanceOfSatisfying(
              EngineException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.RUN_NOT_FOUND));
    }
    assertThat(get(failed).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void changeNothingAboutALiveRun() {
    RunId runId = kagzi.startRun();

    assertThat(retry(runId)).isEqualTo(new AlreadyActive());
    assertThat(get(runId).retries()).isZero();
  }

  @Test
  void areRepeatedSafelyByWhoeverSaysWhatHeSaw() {
    RunId runId = runs.failInCharge();
    Retried first = new Retried(List.of("charge", "apologise"));

    assertThat(retry(runId, 0)).isEqualTo(first);
    assertThat(retry(runId, 0)).isEqualTo(first);
    assertThat(retry(runId, 1)).isEqualTo(new AlreadyActive());
    Task task = kagzi.pollOne(runs.worker());
    runs.fail(task, "charge", 3, 2, true);
    runs.end(task, "charge");

    assertThat(retry(runId, 0)).isEqualTo(first);
    assertThat(get(runId).status()).isEqualTo(RunStatus.FAILED);
    assertThat(retry(runId, 1)).isEqualTo(new Retried(List.of("charge")));
    assertThat(get(runId).retries()).isEqualTo(2);
    runs.end(kagzi.pollOne(runs.worker()), null);
    assertThatThrownBy(() -> retry(runId, 0))
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.RETRIED_BEFORE));
  }

  @Test
  void bySixteenPeopleAtOnceAreOne() throws Exception {
    RunId runId = runs.failInCharge();
    List<RetryOutcome> outcomes = new ArrayList<>();
    try (ExecutorService people = Executors.newFixedThreadPool(16)) {
      List<Callable<RetryOutcome>> calls = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        calls.add(() -> retry(runId));
      }
      for (Future<RetryOutcome> outcome : people.invokeAll(calls)) {
        outcomes.add(outcome.get());
      }
    }

    assertThat(outcomes).filteredOn(Retried.class::isInstance).hasSize(1);
    assertThat(outcomes).filteredOn(AlreadyActive.class::isInstance).hasSize(15);
    assertThat(get(runId).retries()).isEqualTo(1);
  }

  @Test
  void andStartsThatRaceForAnExternalIdLeaveOneWinner() throws Exception {
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 40; round++) {
        String externalId = "raced-" + round;
        RunId runId = runs.failInCharge(TestEngine.request().externalId(externalId));
        Future<Boolean> retried = both.submit(() -> wins(runId));
        Future<Boolean> started =
            both.submit(() ->
                kagzi
                        .engine()
                        .workflows()
                        .start(TestEngine.request().externalId(externalId).build())
                    instanceof StartOutcome.Started);

        assertThat(List.of(retried.get(), started.get())).containsExactlyInAnyOrder(true, false);
        endWhatIsLive();
      }
    }
  }

  private boolean wins(RunId runId) {
    try {
      return retry(runId) instanceof Retried;
    } catch (EngineException refused) {
      assertThat(refused.code()).isEqualTo(ErrorCode.ALREADY_ACTIVE);
      return false;
    }
  }

  private RetryOutcome retry(RunId runId) {
    return retry(runId, null);
  }

  private RetryOutcome retry(RunId runId, @Nullable Integer expectedRetries) {
    return retries.retry(NAMESPACE, runId, expectedRetries);
  }

  private @Nullable ErrorCode refusalOf(RunId runId) {
    try {
      retry(runId);
      return null;
    } catch (EngineException refused) {
      return refused.code();
    }
  }

  private Run get(RunId runId) {
    return kagzi.engine().workflows().get(NAMESPACE, runId);
  }

  private void begin(Task task, String key, int seq) {
    begin(task, key, seq, StepTraits.NONE);
  }

  private void begin(Task task, String key, int seq, StepTraits traits) {
    kagzi
        .engine()
        .tasks()
        .beginStep(
            new Beginning(
                fence(task),
                runs.worker(),
                key,
                1,
                seq,
                StepKind.FUNCTION,
                false,
                null,
                null,
                traits));
  }

  private void sleep(Task task, Instant until) {
    kagzi
        .engine()
        .tasks()
        .suspend(fence(task), List.of(new WaitRequest("pause", 3, WaitKind.TIMER, until)), true);
  }

  private void timeOut(RunId runId) {
    kagzi.engine().workflows().cancel(NAMESPACE, runId, "");
    kagzi.execute(
        "UPDATE kagzi.finished_runs SET status = 'TIMED_OUT' WHERE run_id = '%s'".formatted(runId));
  }
}
