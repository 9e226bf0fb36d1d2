package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What happens when time is up: for runs, and for attempts at steps. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverdueTest {

  private static final RetryPolicy TWICE =
      new RetryPolicy(2, Duration.ofMillis(50), 1, Duration.ofSeconds(1), List.of(), 0);

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
    worker = kagzi.registerWorker();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  private static StartRequest.Builder within(Duration limit) {
    return TestEngine.request().policies(new RunPolicies(null, null, null, limit, null, null));
  }

  private RunId start(StartRequest.Builder request) {
    return kagzi.engine().workflows().start(request.build()).runId();
  }

  private Run get(RunId runId) {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
  }

  private void awaitTimedOut(RunId runId) {
    await().atMost(Duration.ofSeconds(15)).until(() -> get(runId).status() == RunStatus.TIMED_OUT);
    Run.Ending ending = requireNonNull(get(runId).ending());
    assertThat(requireNonNull(ending.error()).kind()).isEqualTo(ErrorKind.TIMEOUT);
    assertThat(requireNonNull(ending.error()).message())
        .startsWith("Workflow execution timeout exceeded");
  }

  @Test
  void aDeadlineEndsARunInEveryLiveState() {
    RunId running = start(within(Duration.ofMillis(600)));
    Task task = kagzi.pollOne(worker);
    assertThat(task.claim().runId()).isEqualTo(running);
    RunId sleeping = start(within(Duration.ofMillis(600)));
    Task sleeper = kagzi.pollOne(worker);
    tasks.sleep(
        fence(sleeper), new TimerWait("nap", 1, kagzi.engine().clock().instant().plusSeconds(60)));
    RunId pending = start(within(Duration.ofMillis(600)).taskQueue("served-by-nobody"));
    RunId absolute =
        start(
            TestEngine.request()
                .taskQueue("served-by-nobody")
                .deadline(kagzi.engine().clock().instant().plusMillis(600)));

    awaitTimedOut(running);
    awaitTimedOut(sleeping);
    awaitTimedOut(pending);
    awaitTimedOut(absolute);
    assertThatThrownBy(() -> tasks.completeStep(fence(task), worker, result("late", "1")))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RUN_TERMINAL));
  }

  @Test
  void aRunPastItsDeadlineIsNotHandedOut() {
    RunId runId = start(TestEngine.request().deadline(Instant.EPOCH.plusSeconds(1)));

    assertThat(kagzi.poll(worker, 10, Duration.ofMillis(100)))
        .noneMatch(task -> task.claim().runId().equals(runId));
    awaitTimedOut(runId);
  }

  @Test
  void ofACompletionAndADeadlineOneWins() {
    for (int i = 0; i < 20; i++) {
      RunId runId = start(within(Duration.ofMillis(1)));
      kagzi.execute(
          "UPDATE kagzi.workflow_runs SET deadline_at = now() + interval '1 hour' WHERE run_id = '"
              + runId
              + "'");
      Task task = kagzi.pollOne(worker);
      kagzi.execute(
          "UPDATE kagzi.workflow_runs SET deadline_at = now() - interval '1 s' WHERE run_id = '"
              + runId
              + "'");
      CompletableFuture<Void> deadline =
          CompletableFuture.runAsync(() -> kagzi.engine().deadlines().enforce());
      boolean completed = finish(task);
      deadline.join();
      kagzi.engine().deadlines().enforce();

      assertThat(get(runId).status())
          .isEqualTo(completed ? RunStatus.COMPLETED : RunStatus.TIMED_OUT);
    }
  }

  private boolean finish(Task task) {
    try {
      tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
      return true;
    } catch (EngineException refused) {
      return false;
    }
  }

  private Beginning beginning(
      Task task, int attempt, boolean atMostOnce, @Nullable Duration timeout) {
    return new Beginning(
        fence(task),
        worker,
        "charge",
        attempt,
        1,
        StepKind.FUNCTION,
        atMostOnce,
        timeout,
        TWICE,
        StepTraits.NONE);
  }

  @Test
  void anAttemptThatItsWorkerDoesNotEndIsEndedAndTriedAgainUnderANewEpoch() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.beginStep(beginning(task, 1, false, Duration.ofMillis(300)));

    Task second = pollAgain(runId);

    assertThat(second.claim().epoch()).isGreaterThan(task.claim().epoch() + 1);
    RecordedStep failed = second.history().get(0);
    assertThat(failed.status()).isEqualTo(StepStatus.FAILED);
    assertThat(failed.settled()).isFalse();
    assertThat(failed.failures()).isEqualTo(1);
    assertThat(requireNonNull(failed.error()).kind()).isEqualTo(ErrorKind.TIMEOUT);
    assertThat(requireNonNull(failed.error()).message())
        .startsWith("Step execution timed out (start_to_close_timeout exceeded)");
    assertThatThrownBy(() -> tasks.completeStep(fence(task), worker, result("charge", "1")))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.LEASE_LOST));

    tasks.beginStep(beginning(second, 2, false, Duration.ofMillis(300)));
    Task third = pollAgain(runId);
    assertThat(third.history().get(0).settled()).isTrue();
    finish(third);
  }

  @Test
  void anAttemptThatEndsInTimeIsLeftAlone() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.beginStep(beginning(task, 1, false, Duration.ofMillis(1)));
    tasks.completeStep(fence(task), worker, result("charge", "1"));
    kagzi.engine().stepTimeouts().enforce();

    assertThat(get(runId).epoch()).isEqualTo(task.claim().epoch());
    finish(task);
  }

  private Task pollAgain(RunId runId) {
    Task task = kagzi.poll(worker, 1, Duration.ofSeconds(20)).get(0);
    assertThat(task.claim().runId()).isEqualTo(runId);
    return task;
  }

  @Test
  void aStepThatMustNotRunTwiceFailsWhenItsWorkerIsLost() {
    RunId runId = kagzi.startRun();
    WorkerId lost = kagzi.registerWorker();
    Task task = kagzi.pollOne(lost);
    assertThat(tasks.beginStep(beginning(task, 1, true, null)).outcome().recorded()).isNull();
    kagzi.engine().recovery().declareDead(lost, kagzi.engine().clock().instant(), 0, "test");

    Task next = pollAgain(runId);

    RecordedStep step = next.history().get(0);
    assertThat(step.settled()).isTrue();
    assertThat(step.status()).isEqualTo(StepStatus.FAILED);
    assertThat(requireNonNull(step.error()).kind()).isEqualTo(ErrorKind.INTERRUPTED);
    assertThat(tasks.beginStep(beginning(next, 2, true, null)).outcome().recorded()).isNotNull();
    finish(next);
  }

  @Test
  void aStepThatMustNotRunTwiceIsNotTriedAgainAfterItsTimeout() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.beginStep(beginning(task, 1, true, Duration.ofMillis(200)));

    assertThat(pollAgain(runId).history().get(0).settled()).isTrue();
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, runId, "test");
  }
}
