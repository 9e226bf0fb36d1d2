package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.ListedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StepListsTest {

  private static final int STEPS = 23;
  private static final int LARGE = 900 * 1024;

  private final List<String> inCallOrder = new ArrayList<>();
  private TestEngine kagzi;
  private StepLists lists;
  private WorkerId worker;
  private RunId runId;

  /** A run with 23 steps, the fourth at its second attempt, a superseded step and an open wait. */
  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    lists = kagzi.engine().stepLists();
    worker = kagzi.registerWorker();
    runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    for (int seq = 1; seq <= STEPS; seq++) {
      // Names in another order than the calls.
      String key = "step-" + (99 - seq);
      inCallOrder.add(key);
      complete(task, key, seq == 4 ? 2 : 1, seq, payload("\"" + key + "\""));
    }
    attempt("step-95", 4, "NULL");
    attempt("before the retry", 5, "now()");
    kagzi.execute(
        "INSERT INTO kagzi.run_waits (run_id, step_key, seq, kind, wake_at, since)"
            + " VALUES ('%s', 'nap', %d, 'TIMER', now(), now())".formatted(runId, STEPS + 1));
    inCallOrder.add("nap");
  }

  private void complete(Task task, String key, int attempt, int seq, Payload output) {
    kagzi
        .engine()
        .tasks()
        .completeStep(
            fence(task),
            worker,
            new StepResult(key, attempt, seq, StepKind.FUNCTION, output, null));
  }

  private void attempt(String key, int seq, String supersededAt) {
    kagzi.execute(
        """
        INSERT INTO kagzi.step_runs (
          run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, superseded_at,
          finished_at)
        VALUES ('%s', '%s', 1, %d, 'FUNCTION', 'FAILED', false, 1, %s, now())
        """
            .formatted(runId, key, seq, supersededAt));
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  private StepLists.Wish wish(boolean allAttempts, String... statuses) {
    return new StepLists.Wish(TestEngine.NAMESPACE, runId, allAttempts, true, Set.of(statuses));
  }

  private static List<String> keys(StepLists.Listed page) {
    return page.steps().stream().map(step -> step.step().stepKey()).toList();
  }

  @Test
  void showsStepsInCallOrderAndPagesBothWays() {
    List<String> forward = new ArrayList<>();
    StepLists.Listed page = lists.list(wish(false), 5, "");
    assertThat(page.prevPageToken()).isEmpty();
    forward.addAll(keys(page));
    while (page.hasMore()) {
      page = lists.list(wish(false), 5, page.nextPageToken());
      forward.addAll(keys(page));
    }

    assertThat(page.nextPageToken()).isEmpty();
    assertThat(forward).isEqualTo(inCallOrder);
    List<String> backward = new ArrayList<>(keys(page));
    while (!page.prevPageToken().isEmpty()) {
      page = lists.list(wish(false), 5, page.prevPageToken());
      backward.addAll(0, keys(page));
    }
    assertThat(page.nextPageToken()).isNotEmpty();
    assertThat(backward).isEqualTo(inCallOrder);
  }

  @Test
  void showsTheAttemptThatCountsOrAllOfThem() {
    List<ListedStep> steps = lists.list(wish(false), 1000, "").steps();
    List<ListedStep> attempts = lists.list(wish(true), 1000, "").steps();

    assertThat(steps).hasSize(STEPS + 1);
    ListedStep fourth = steps.get(3);
    assertThat(fourth.step().attempt()).isEqualTo(2);
    assertThat(fourth.step().failures()).isEqualTo(1);
    assertThat(fourth.step().output()).isEqualTo(payload("\"step-95\""));
    assertThat(attempts).hasSize(STEPS + 3);
    assertThat(attempts.subList(3, 6))
        .extracting(attempt -> attempt.step().stepKey() + attempt.step().attempt())
        .containsExactly("step-951", "step-952", "before the retry1");
    assertThat(attempts.get(5).supersededAt()).isNotNull();
    assertThat(lists.count(wish(true)).count()).isEqualTo(STEPS + 3);
  }

  @Test
  void showsAllAttemptsOfOneStepTheNewestFirst() {
    assertThat(lists.attempts(TestEngine.NAMESPACE, runId, "step-95"))
        .extracting(attempt -> attempt.step().attempt())
        .containsExactly(2, 1);
    assertThat(lists.attempts(TestEngine.NAMESPACE, runId, "nap")).hasSize(1);
    assertThatThrownBy(() -> lists.attempts(TestEngine.NAMESPACE, runId, "unknown"))
        .isInstanceOfSatisfying(
            EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STEP_NOT_FOUND));
  }

  @Test
  void choosesByStatus() {
    assertThat(keys(lists.list(wish(false, "RUNNING"), 10, ""))).containsExactly("nap");
    assertThat(keys(lists.list(wish(true, "FAILED"), 10, "")))
        .containsExactly("step-95", "before the retry");
    assertThat(lists.count(wish(false, "COMPLETED")).count()).isEqualTo(STEPS);
  }

  @Test
  void endsAPageThatWouldBeTooHeavy() {
    RunId heavy = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    for (int seq = 1; seq <= 5; seq++) {
      complete(task, "large-" + seq, 1, seq, payload("\"" + "x".repeat(LARGE) + "\""));
    }
    var wish = new StepLists.Wish(TestEngine.NAMESPACE, heavy, false, true, Set.of());

    StepLists.Listed first = lists.list(wish, 100, "");
    StepLists.Listed second = lists.list(wish, 100, first.nextPageToken());
    StepLists.Listed third = lists.list(wish, 100, second.nextPageToken());

    assertThat(first.hasMore()).isTrue();
    assertThat(keys(first)).containsExactly("large-1", "large-2");
    assertThat(keys(second)).containsExactly("large-3", "large-4");
    assertThat(keys(third)).containsExactly("large-5");
    assertThat(third.hasMore()).isFalse();
  }

  @Test
  void aTokenOpensNoOtherListThanItsOwn() {
    String token = lists.list(wish(false), 5, "").nextPageToken();

    assertThatThrownBy(() -> lists.list(wish(true), 5, token))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("page_token");
  }

  @Test
  void aRunThatIsNotThereHasNoSteps() {
    var elsewhere = new StepLists.Wish("other", runId, false, false, Set.of());

    assertThatThrownBy(() -> lists.list(elsewhere, 5, ""))
        .isInstanceOfSatisfying(
            EngineException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RUN_NOT_FOUND));
  }
}
