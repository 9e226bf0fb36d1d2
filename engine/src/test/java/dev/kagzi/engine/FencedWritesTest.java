package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Children;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.StateStore.Publication;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A worker whose run has gone to another, and each thing it may still send. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FencedWritesTest {

  private static final Failure BROKEN =
      new Failure(ErrorKind.UNKNOWN, "shop.Broken", List.of(), "broken", "", null);

  private TestEngine kagzi;
  private Tasks tasks;
  private Children children;
  private WorkerId zombie;
  private Fence old;
  private Task current;
  private String before;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
    children = kagzi.engine().children();
  }

  @BeforeEach
  void takeOver() {
    zombie = kagzi.registerWorker();
    kagzi.startRun();
    Task lost = kagzi.pollOne(zombie);
    old = fence(lost);
    var noItems = new ChildItems(0, List.of(), false);
    children.startMap(
        old, "map", new ChildMap(request().build(), ParentClosePolicy.CANCEL, 1), noItems);
    var now = kagzi.engine().clock().instant();
    assertThat(kagzi.engine().recovery().declareDead(zombie, now, 0, "test")).isTrue();
    current = kagzi.pollOne(kagzi.registerWorker());
    before = everything();
  }

  @AfterEach
  void clear() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  /** All that a worker can change, in one text. */
  private String everything() {
    return Stream.of(
            "workflow_runs",
            "finished_runs",
            "step_runs",
            "running_steps",
            "run_waits",
            "run_states",
            "child_items")
        .map(this::rows)
        .collect(Collectors.joining());
  }

  private String rows(String table) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.assembled(
                    "SELECT COALESCE(string_agg(t::text, ' ' ORDER BY t::text), '') AS it"
                        + " FROM kagzi.%s t".formatted(table))
                .only(row -> row.text("it")));
  }

  private void assertRefused(Runnable write) {
    assertThatThrownBy(write::run)
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LEASE_LOST));
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void aZombieCannotBeginAStep() {
    assertRefused(() ->
        tasks.beginStep(
            new Beginning(
                old,
                zombie,
                "charge",
                1,
                1,
                StepKind.FUNCTION,
                false,
                null,
                null,
                StepTraits.NONE)));
  }

  @Test
  void aZombieCannotCompleteAStep() {
    assertRefused(() -> tasks.completeStep(old, zombie, result("charge", "1")));
  }

  @Test
  void aZombieCannotFailAStep() {
    assertRefused(() ->
        tasks.failStep(
            old,
            zombie,
            new StepFailure(
                "charge",
                1,
                1,
                StepKind.FUNCTION,
                null,
                BROKEN,
                RetryPolicy.DEFAULT,
                false,
                null)));
  }

  @Test
  void aZombieCannotSuspendARun() {
    WaitRequest wait = WaitRequest.event("payment", 1, "paid", null);
    assertRefused(() -> tasks.suspend(old, List.of(wait), true));
  }

  @Test
  void aZombieCannotRecordAWait() {
    WaitRequest wait = WaitRequest.event("payment", 1, "paid", null);
    assertRefused(() -> tasks.suspend(old, List.of(wait), false));
  }

  @Test
  void aZombieCannotShowAState() {
    assertRefused(() -> tasks.publish(new Publication(old, "progress", payload("1"), 1)));
  }

  @Test
  void aZombieCannotCompleteARun() {
    assertRefused(() -> tasks.finish(old, new RunEnding.Completed(payload("1"))));
  }

  @Test
  void aZombieCannotFailARun() {
    assertRefused(() -> tasks.finish(old, new RunEnding.Failed(BROKEN, "charge")));
  }

  @Test
  void aZombieCannotContinueARunAsAnother() {
    assertRefused(() -> tasks.finish(old, new RunEnding.Continued(payload("1"), null, null)));
  }

  @Test
  void aZombieCannotReleaseARun() {
    assertThat(tasks.release(old)).isFalse();
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void aZombieCannotParkARun() {
    assertThat(tasks.park(old, new Divergence("charge", "ship", "other code"))).isFalse();
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void aZombieCannotStartAChild() {
    RunId parent = old.runId();
    assertRefused(() ->
        children.start(
            old,
            zombie,
            new ChildStep("ship", 1, 1, null, StepTraits.NONE),
            request().parent(new Parent(parent, "ship", ParentClosePolicy.CANCEL)).build()));
  }

  @Test
  void aZombieCannotAddItems() {
    assertRefused(
        () -> children.addItems(old, "map", new ChildItems(0, List.of(payload("1")), true)));
  }

  @Test
  void aZombieCannotReadTheHistory() {
    assertRefused(() -> tasks.history(old, HistoryPage.Position.START));
  }

  @Test
  void aZombieCannotReadTheResultsOfChildren() {
    assertRefused(() -> children.results(old, "map", -1, 10));
  }

  @Test
  void aWorkerThatHoldsTheRunAgainCannotExtendItsEarlierClaim() {
    WorkerId worker = current.claim().worker();
    Held earlier = new Held(worker, old.runId(), old.epoch());
    var beat = new Heartbeat(new Beat(NAMESPACE, worker, 0, 1, 0, 0), List.of(earlier));

    assertThat(kagzi.engine().workers().heartbeat(beat).lost()).containsExactly(earlier);

    assertThat(everything()).isEqualTo(before);
  }
}
