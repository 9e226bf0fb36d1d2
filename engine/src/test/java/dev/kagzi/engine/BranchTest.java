package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What becomes of the branches that another one's outcome makes pointless. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BranchTest {

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;
  private Task task;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
  }

  @BeforeEach
  void claim() {
    worker = kagzi.registerWorker();
    kagzi.startRun();
    task = kagzi.pollOne(worker);
  }

  @AfterEach
  void clear() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void settlesTheLosersOfARaceWithItsWinner() {
    begin("slow", 1);
    tasks.suspend(fence(task), List.of(new WaitRequest("late", 3, WaitKind.TIMER, later())), false);

    tasks.completeStep(
        fence(task), worker, result("winner", "1"), List.of(step("slow"), step("late")));

    assertCancelled("slow", 1);
    assertCancelled("late", 1);
    assertThat(left("running_steps") + left("run_waits")).isZero();
  }

  @Test
  void settlesTheSiblingsOfAStepOnlyWhenItsFailureSettlesIt() {
    tasks.failStep(fence(task), worker, failure("fails", 1, false), List.of(step("sibling")));
    assertThat(history()).extracting(RecordedStep::stepKey).containsExactly("fails");

    tasks.failStep(fence(task), worker, failure("sibling", 1, false));
    tasks.failStep(fence(task), worker, failure("fails", 2, true), List.of(step("sibling")));

    assertCancelled("sibling", 2);
  }

  @Test
  void settlesTheSiblingsOfAStepThatHadFailedBefore() {
    tasks.failStep(fence(task), worker, failure("fails", 1, true));

    FailOutcome again =
        tasks
            .failStep(fence(task), worker, failure("fails", 2, true), List.of(step("sibling")))
            .outcome();

    assertThat(again).isInstanceOf(FailOutcome.AlreadySettled.class);
    assertCancelled("sibling", 1);
  }

  @Test
  void leavesWhatIsSettledAsItIs() {
    tasks.completeStep(fence(task), worker, result("done", "\"kept\""));

    tasks.completeStep(fence(task), worker, result("winner", "1"), List.of(step("done")));

    assertThat(find("done").status()).isEqualTo(StepStatus.COMPLETED);
    assertThat(history()).hasSize(2);
  }

  @Test
  void doesNotCancelForAResultThatCameTooLate() {
    tasks.failStep(fence(task), worker, failure("race", 1, true));

    tasks.completeStep(fence(task), worker, result("race", "1"), List.of(step("loser")));

    assertThat(history()).extracting(RecordedStep::stepKey).containsExactly("race");
  }

  @Test
  void tellsACancelledStepWhatBecameOfIt() {
    tasks.completeStep(fence(task), worker, result("winner", "1"), List.of(step("loser")));

    StepOutcome late = tasks.completeStep(fence(task), worker, result("loser", "2")).outcome();
    begin("loser", 2);
    tasks.sleep(fence(task), new TimerWait("loser", 1, later()));

    assertThat(late)
        .isInstanceOfSatisfying(
            StepOutcome.AlreadySettled.class,
            settled -> assertThat(settled.recorded().status()).isEqualTo(StepStatus.CANCELLED));
    assertThat(left("running_steps") + left("run_waits")).isZero();
  }

  @Test
  void refusesToCancelForWhoeverLostTheRun() {
    begin("loser", 1);
    kagzi.engine().recovery().declareDead(worker, kagzi.engine().clock().instant(), 0, "test");
    Task next = kagzi.pollOne(kagzi.registerWorker());

    assertThatThrownBy(() ->
            tasks.completeStep(fence(task), worker, result("winner", "1"), List.of(step("loser"))))
        .isInstanceOf(EngineException.class);
    assertThatThrownBy(() ->
            tasks.failStep(fence(task), worker, failure("winner", 1, true), List.of(step("loser"))))
        .isInstanceOf(EngineException.class);
    assertThat(next.history())
        .extracting(RecordedStep::status)
        .containsExactly(StepStatus.INTERRUPTED);
    assertThat(tasks.history(fence(next), HistoryPage.Position.START).steps()).hasSize(1);
  }

  private void assertCancelled(String key, int attempt) {
    RecordedStep found = find(key);
    assertThat(found.status()).isEqualTo(StepStatus.CANCELLED);
    assertThat(found.settled()).isTrue();
    assertThat(found.attempt()).isEqualTo(attempt);
  }

  private RecordedStep find(String key) {
    return history().stream().filter(step -> step.stepKey().equals(key)).findFirst().orElseThrow();
  }

  private List<RecordedStep> history() {
    return tasks.history(fence(task), HistoryPage.Position.START).steps();
  }

  private void begin(String key, int attempt) {
    tasks.beginStep(
        new Beginning(
            fence(task),
            worker,
            key,
            attempt,
            1,
            StepKind.FUNCTION,
            false,
            null,
            null,
            StepTraits.NONE));
  }

  private long left(String table) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.assembled("SELECT count(*) AS n FROM kagzi." + table).only(row -> row.bigint("n")));
  }

  private Instant later() {
    return kagzi.engine().clock().instant().plusSeconds(60);
  }

  private static CancelledStep step(String key) {
    return new CancelledStep(key, 2, StepKind.FUNCTION, null, StepTraits.NONE);
  }

  private static StepFailure failure(String key, int attempt, boolean last) {
    return new StepFailure(
        key,
        attempt,
        1,
        StepKind.FUNCTION,
        null,
        new Failure(ErrorKind.UNKNOWN, "shop.Closed", List.of(), "closed", "", null),
        new RetryPolicy(3, Duration.ofMillis(200), 2, Duration.ofSeconds(60), List.of(), 0),
        last,
        null);
  }
}
