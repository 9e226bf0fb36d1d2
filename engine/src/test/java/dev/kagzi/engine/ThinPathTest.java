package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** One run from start to end, with what may go wrong on the way. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ThinPathTest {

  private TestEngine kagzi;
  private Tasks tasks;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void carriesARunFromItsStartToItsEnd() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();

    Task task = kagzi.pollOne(worker);
    assertThat(task.claim().runId()).isEqualTo(runId);
    assertThat(task.claim().epoch()).isEqualTo(1);
    assertThat(task.input()).isEqualTo(payload("\"input\""));
    assertThat(task.history()).isEmpty();
    assertThat(tasks.completeStep(fence(task), worker, result("charge", "1")).outcome())
        .isInstanceOf(StepOutcome.Recorded.class);
    tasks.finish(fence(task), new RunEnding.Completed(payload("\"done\"")));

    Run run = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
    assertThat(run.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(run.ending()).isEqualTo(new Run.Ending(payload("\"done\""), null, null, null));
  }

  @Test
  void wakesTheRunWhenItsSleepIsOverAndRemembersTheSleep() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task first = kagzi.pollOne(worker);
    Instant wakeAt = kagzi.engine().clock().instant().plusMillis(300);

    SleepOutcome slept = tasks.sleep(fence(first), new TimerWait("pause", 1, wakeAt));
    assertThat(slept).isEqualTo(new SleepOutcome.Released(wakeAt));
    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.SLEEPING);
    Task second = kagzi.pollOne(worker);

    assertThat(kagzi.engine().clock().instant()).isAfterOrEqualTo(wakeAt);
    assertThat(second.claim().epoch()).isEqualTo(2);
    assertThat(second.history()).extracting(RecordedStep::stepKey).containsExactly("pause");
    assertThat(second.history().get(0).settled()).isTrue();
    finish(second);
  }

  @Test
  void takesTheFirstRecordedWakeUpTimeOfASleep() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant soon = kagzi.engine().clock().instant().plusMillis(200);

    tasks.sleep(fence(task), new TimerWait("pause", 1, soon));
    SleepOutcome again = tasks.sleep(fence(task), new TimerWait("pause", 1, soon.plusSeconds(60)));

    assertThat(again).isEqualTo(new SleepOutcome.Released(soon));
    finish(kagzi.pollOne(worker));
  }

  @Test
  void endsASleepThatIsOverAlreadyWithoutLettingGoOfTheRun() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant past = kagzi.engine().clock().instant().minusSeconds(1);

    assertThat(tasks.sleep(fence(task), new TimerWait("pause", 1, past)))
        .isInstanceOf(SleepOutcome.Over.class);
    finish(task);
  }

  @Test
  void replaysWhatWasRecordedToTheNextWorker() {
    WorkerId lost = kagzi.registerWorker();
    WorkerId next = kagzi.registerWorker();
    kagzi.startRun();
    Task first = kagzi.pollOne(lost);
    tasks.completeStep(fence(first), lost, result("reserve", "\"r-1\""));
    Instant silentSince = kagzi.engine().clock().instant();

    assertThat(kagzi.engine().recovery().declareDead(lost, silentSince, 0, "test")).isTrue();
    Task second = kagzi.pollOne(next);

    assertThat(second.history()).hasSize(1);
    assertThat(second.history().get(0).output()).isEqualTo(payload("\"r-1\""));
    assertThat(
            kagzi.engine().workflows().get(TestEngine.NAMESPACE, first.claim().runId()).crashes())
        .isEqualTo(1);
    finish(second);
  }

  @Test
  void refusesEveryWriteOfAZombie() {
    WorkerId zombie = kagzi.registerWorker();
    WorkerId next = kagzi.registerWorker();
    kagzi.startRun();
    Task old = kagzi.pollOne(zombie);
    kagzi.engine().recovery().declareDead(zombie, kagzi.engine().clock().instant(), 0, "test");
    Task current = kagzi.pollOne(next);

    Instant later = kagzi.engine().clock().instant().plusSeconds(60);
    assertRefused(
        ErrorCode.LEASE_LOST,
        () -> tasks.completeStep(fence(old), zombie, result("charge", "\"zombie\"")));
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.sleep(fence(old), new TimerWait("pause", 1, later)));
    assertRefused(ErrorCode.LEASE_LOST, () -> finishAs(old, "\"zombie\""));
    assertThat(tasks.release(fence(old))).isFalse();
    tasks.completeStep(fence(current), next, result("charge", "\"real\""));
    finish(current);

    assertRefused(
        ErrorCode.RUN_TERMINAL,
        () -> tasks.completeStep(fence(old), zombie, result("ship", "\"zombie\"")));
    assertRefused(ErrorCode.RUN_TERMINAL, () -> finishAs(old, "\"zombie\""));
  }

  @Test
  void answersARepeatedCallAsTheFirstTime() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    tasks.completeStep(fence(task), worker, result("charge", "1"));
    assertThat(tasks.completeStep(fence(task), worker, result("charge", "1")).outcome())
        .isInstanceOf(StepOutcome.Recorded.class);
    finish(task);

    finish(task);
    assertThat(tasks.completeStep(fence(task), worker, result("charge", "1")).outcome())
        .isInstanceOf(StepOutcome.Recorded.class);
  }

  @Test
  void keepsTheFirstResultOfAStepAndTellsTheSecondCaller() {
    WorkerId worker = kagzi.registerWorker();
    WorkerId next = kagzi.registerWorker();
    kagzi.startRun();
    Task first = kagzi.pollOne(worker);
    tasks.completeStep(fence(first), worker, result("charge", "\"first\""));
    kagzi.engine().recovery().declareDead(worker, kagzi.engine().clock().instant(), 0, "test");
    Task second = kagzi.pollOne(next);

    StepOutcome outcome =
        tasks.completeStep(fence(second), next, result("charge", "\"second\"")).outcome();

    assertThat(outcome).isInstanceOf(StepOutcome.AlreadySettled.class);
    assertThat(((StepOutcome.AlreadySettled) outcome).recorded().output())
        .isEqualTo(payload("\"first\""));
    finish(second);
  }

  @Test
  void tellsALaterAttemptOfTheSameWorkerWhatWasSettledBefore() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.completeStep(fence(task), worker, result("charge", "\"first\""));

    StepResult late =
        new StepResult("charge", 2, 1, StepKind.FUNCTION, payload("\"second\""), null);
    StepOutcome outcome = tasks.completeStep(fence(task), worker, late).outcome();

    assertThat(outcome)
        .isInstanceOfSatisfying(
            StepOutcome.AlreadySettled.class,
            settled -> assertThat(settled.recorded().output()).isEqualTo(payload("\"first\"")));
    finish(task);
  }

  @Test
  void hidesRunsOfOtherNamespaces() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Fence foreign = new Fence("other", runId, task.claim().epoch());

    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> kagzi.engine().workflows().get("other", runId));
    assertRefused(
        ErrorCode.RUN_NOT_FOUND, () -> tasks.completeStep(foreign, worker, result("charge", "1")));
    assertRefused(
        ErrorCode.NAMESPACE_NOT_FOUND,
        () -> kagzi.engine().workflows().start(StartRequest.of("other", "x").build()));
    finish(task);
  }

  @Test
  void handsBackWhatAWorkerReleasesWithoutCountingACrash() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    assertThat(tasks.release(fence(task))).isTrue();
    Task again = kagzi.pollOne(worker);

    assertThat(again.claim().epoch()).isEqualTo(2);
    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).crashes()).isZero();
    finish(again);
  }

  @Test
  void startsARunOnceHoweverOftenItsRequestIdIsSent() {
    RunId requestId = new RunId(new TimeOrderedIds(kagzi.engine().clock()).next());
    var request = TestEngine.request().requestId(requestId).build();

    StartOutcome first = kagzi.engine().workflows().start(request);
    StartOutcome repeated = kagzi.engine().workflows().start(request);
    WorkerId worker = kagzi.registerWorker();
    finish(kagzi.pollOne(worker));
    StartOutcome afterTheEnd = kagzi.engine().workflows().start(request);

    assertThat(List.of(first, repeated, afterTheEnd))
        .allSatisfy(outcome -> assertThat(outcome).isInstanceOf(StartOutcome.Started.class))
        .extracting(StartOutcome::runId)
        .containsOnly(requestId);
    assertThat(afterTheEnd.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(kagzi.poll(worker, 1, Duration.ofMillis(50))).isEmpty();
  }

  @Test
  void refusesARequestIdOfAnotherTimeAndTellsTheTime() {
    Instant lastWeek = kagzi.engine().clock().instant().minus(Duration.ofDays(7));
    RunId old = new RunId(new TimeOrderedIds(() -> lastWeek).next());

    assertThatThrownBy(
            () -> kagzi.engine().workflows().start(TestEngine.request().requestId(old).build()))
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> {
              assertThat(refused.code()).isEqualTo(ErrorCode.REQUEST_ID_OUT_OF_RANGE);
              assertThat(refused.details()).containsKey("server_time");
            });
  }

  @Test
  void findsTheLiveRunOfAnExternalId() {
    WorkerId worker = kagzi.registerWorker();
    var request = TestEngine.request().externalId("order-42").build();

    StartOutcome first = kagzi.engine().workflows().start(request);
    StartOutcome second = kagzi.engine().workflows().start(request);
    finish(kagzi.pollOne(worker));
    StartOutcome third = kagzi.engine().workflows().start(request);

    assertThat(first).isInstanceOf(StartOutcome.Started.class);
    assertThat(second).isInstanceOf(StartOutcome.AlreadyExists.class);
    assertThat(second.runId()).isEqualTo(first.runId());
    assertThat(third).isInstanceOf(StartOutcome.Started.class);
    assertThat(third.runId()).isNotEqualTo(first.runId());
    finish(kagzi.pollOne(worker));
  }

  @Test
  void looksBackWhenTheReusePolicySaysSo() {
    WorkerId worker = kagzi.registerWorker();
    StartRequest.Builder request = TestEngine.request().externalId("order-once");
    StartOutcome first = kagzi.engine().workflows().start(request.build());
    finish(kagzi.pollOne(worker));

    for (ReusePolicy policy : List.of(ReusePolicy.REJECT, ReusePolicy.ALLOW_IF_FAILED)) {
      StartRequest careful =
          request
              .reusePolicy(policy)
              .requestId(new RunId(new TimeOrderedIds(kagzi.engine().clock()).next()))
              .build();
      for (int repeated = 0; repeated < 2; repeated++) {
        StartOutcome outcome = kagzi.engine().workflows().start(careful);
        assertThat(outcome).isInstanceOf(StartOutcome.AlreadyExists.class);
        assertThat(outcome.runId()).isEqualTo(first.runId());
      }
    }
    StartOutcome second =
        kagzi
            .engine()
            .workflows()
            .start(request.requestId(null).reusePolicy(ReusePolicy.ALLOW).build());
    assertThat(second).isInstanceOf(StartOutcome.Started.class);
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, second.runId(), "test");
    StartOutcome third =
        kagzi.engine().workflows().start(request.reusePolicy(ReusePolicy.ALLOW_IF_FAILED).build());
    assertThat(third).isInstanceOf(StartOutcome.Started.class);
    finish(kagzi.pollOne(worker));
  }

  @Test
  void tellsThoseWhoAwaitARunThatItHasEnded() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    CompletableFuture<Run> answer = new CompletableFuture<>();
    kagzi
        .engine()
        .completions()
        .await(
            TestEngine.NAMESPACE,
            runId,
            Duration.ofSeconds(30),
            answer::complete,
            answer::completeExceptionally);

    finish(kagzi.pollOne(worker));

    assertThat(answer.get(5, TimeUnit.SECONDS).status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  void startsADelayedRunNotBeforeItsTime() {
    WorkerId worker = kagzi.registerWorker();
    Instant asked = kagzi.engine().clock().instant();
    kagzi
        .engine()
        .workflows()
        .start(TestEngine.request().startDelay(Duration.ofMillis(250)).build());

    Task task = kagzi.pollOne(worker);

    assertThat(kagzi.engine().clock().instant()).isAfterOrEqualTo(asked.plusMillis(250));
    finish(task);
  }

  @Test
  void handsOutNothingWhoseTimeHasNotCome() {
    WorkerId worker = kagzi.registerWorker();
    Duration anHour = Duration.ofHours(1);
    kagzi.startRun();
    Instant later = kagzi.engine().clock().instant().plus(anHour);
    tasks.sleep(fence(kagzi.pollOne(worker)), new TimerWait("pause", 1, later));
    kagzi.engine().workflows().start(TestEngine.request().startDelay(anHour).build());

    assertThat(kagzi.poll(worker, 2, Duration.ofMillis(50))).isEmpty();
  }

  private void finish(Task task) {
    finishAs(task, "\"done\"");
  }

  private void finishAs(Task task, String output) {
    tasks.finish(fence(task), new RunEnding.Completed(payload(output)));
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            EngineException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }
}
