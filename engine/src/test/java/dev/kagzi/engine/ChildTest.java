package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.StateStore.Publication;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Children meet the parents that wait for them, whoever comes first. */
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChildTest {

  private static final int RACES = 300;

  private HikariDataSource dataSource;
  private TestEngine kagzi;
  private TestEngine other;
  private WorkerId worker;
  private RunId parent;
  private Task task;

  @BeforeAll
  void start() {
    dataSource = TestEngine.migratedDatabase();
    kagzi = TestEngine.on(dataSource);
    other = TestEngine.on(dataSource);
  }

  @BeforeEach
  void claim() {
    worker = kagzi.registerWorker();
    parent = kagzi.startRun();
    // Children of earlier tests may be left until their parent's end has reached them.
    do {
      task = kagzi.pollOne(worker);
    } while (!task.claim().runId().equals(parent));
  }

  @AfterEach
  void end() {
    kagzi.engine().workflows().terminate(NAMESPACE, parent, "the test is over");
    kagzi.engine().workers().deregister(NAMESPACE, worker);
  }

  @AfterAll
  void stop() {
    other.engine().close();
    kagzi.close();
  }

  private RunId startChild(String key, int seq) {
    ChildOutcome outcome =
        kagzi
            .engine()
            .children()
            .start(
                fence(task),
                worker,
                new ChildStep(key, 1, seq, null, StepTraits.NONE),
                request().parent(new Parent(parent, key, ParentClosePolicy.CANCEL)).build())
            .outcome();
    return ((ChildOutcome.Started) outcome).child();
  }

  private static WaitRequest waitFor(String key, int seq) {
    return new WaitRequest(key, seq, WaitKind.CHILD, null, null, null, StepTraits.NONE);
  }

  private SuspendOutcome suspend(WakeWhen wakeWhen, WaitRequest... waits) {
    return kagzi.engine().tasks().suspend(fence(task), List.of(waits), true, wakeWhen).outcome();
  }

  private static void complete(TestEngine engine, Task held, String output) {
    engine.engine().tasks().finish(fence(held), new RunEnding.Completed(payload(output)));
  }

  @Test
  void aStepStartsOneChildAndBothKnowEachOther() {
    RunId child = startChild("ship", 1);

    assertThat(startChild("ship", 1)).isEqualTo(child);
    var lineage = kagzi.engine().workflows().get(NAMESPACE, child).lineage();
    assertThat(lineage.parent()).isEqualTo(parent);
    assertThat(lineage.parentStepKey()).isEqualTo("ship");
    var count =
        kagzi.engine().runLists().count(NAMESPACE, List.of(new Criterion.HasParent(parent)));
    assertThat(count.count()).isEqualTo(1);
  }

  @Test
  void theEndOfAChildIsNeverMissedByAParentThatGoesToWait() throws Exception {
    int found = 0;
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 1; i <= RACES; i++) {
        String key = "ship#" + i;
        var unused = startChild(key, i);
        Task child = kagzi.pollOne(worker);
        // Within one server the lane of a run keeps the two apart; two servers have only the lock.
        TestEngine ending = i % 4 == 0 ? kagzi : other;
        var together = new CyclicBarrier(2);
        Future<?> ender =
            executor.submit(() -> {
              together.await();
              complete(ending, child, "\"done\"");
              return true;
            });
        together.await();
        SuspendOutcome outcome = suspend(WakeWhen.ANY, waitFor(key, i));
        ender.get();
        if (outcome.released()) {
          task = kagzi.pollOne(worker);
        } else {
          found++;
        }
        assertThat(task.claim().runId()).as("race %d", i).isEqualTo(parent);
      }
    }
    System.out.printf(
        "%d of %d waits found their child ended, the others were woken%n", found, RACES);
  }

  @Test
  void aParentThatNeedsAllItsChildrenIsWokenOnceByTheLast() {
    List<WaitRequest> waits = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      var unused = startChild("ship#" + i, i);
      waits.add(waitFor("ship#" + i, i));
    }
    List<Task> children = kagzi.poll(worker, 3, Duration.ofSeconds(5));
    complete(kagzi, children.get(0), "1");
    assertThat(suspend(WakeWhen.ALL, waits.toArray(WaitRequest[]::new)).released()).isTrue();
    complete(kagzi, children.get(1), "2");

    assertThat(kagzi.engine().workflows().get(NAMESPACE, parent).status())
        .isEqualTo(RunStatus.SLEEPING);
    assertThat(kagzi.poll(worker, 1, Duration.ofMillis(300))).isEmpty();
    complete(kagzi, children.get(2), "3");
    assertThat(kagzi.pollOne(worker).claim().runId()).isEqualTo(parent);
  }

  @Test
  void aParentIsWokenByTheFirstOfItsChildrenThatFails() {
    var one = startChild("ship#1", 1);
    var two = startChild("ship#2", 2);
    assertThat(
            suspend(WakeWhen.ALL_OR_FAILED, waitFor("ship#1", 1), waitFor("ship#2", 2)).released())
        .isTrue();
    kagzi.engine().workflows().cancel(NAMESPACE, one, "not wanted");

    List<Task> tasks = kagzi.poll(worker, 10, Duration.ofSeconds(5));
    if (tasks.stream().noneMatch(polled -> polled.claim().runId().equals(parent))) {
      tasks = kagzi.poll(worker, 10, Duration.ofSeconds(5));
    }
    assertThat(tasks.stream().map(polled -> polled.claim().runId())).contains(parent);
    kagzi.engine().workflows().cancel(NAMESPACE, two, "the test is over");
  }

  @Test
  void theItemsOfAPageThatComesAgainAreNotAddedAgain() {
    ChildMap map = new ChildMap(request().build(), ParentClosePolicy.CANCEL, 2);
    ChildItems page = new ChildItems(0, List.of(payload("1"), payload("2"), payload("3")), true);
    kagzi.engine().children().startMap(fence(task), "map", map, page);
    kagzi.engine().children().startMap(fence(task), "map", map, page);
    assertThat(suspend(WakeWhen.ANY, waitFor("map", 1)).released()).isTrue();

    List<Task> live = kagzi.poll(worker, 10, Duration.ofSeconds(5));
    assertThat(live).hasSize(2);
    live.forEach(child -> complete(kagzi, child, "0"));
    Task last = kagzi.pollOne(worker);
    assertThat(last.claim().runId()).isNotEqualTo(parent);
    complete(kagzi, last, "0");
    assertThat(kagzi.pollOne(worker).claim().runId()).isEqualTo(parent);
  }

  @Test
  void aWaitForAChildThatNobodyHasStartedFailsItsStepAndTheRunGoesOn() {
    SuspendOutcome outcome = suspend(WakeWhen.ANY, waitFor("ship", 1));

    assertThat(outcome.released()).isFalse();
    RecordedStep step = Objects.requireNonNull(outcome.waits().get(0).ended());
    assertThat(step.settled()).isTrue();
    assertThat(step.status()).isEqualTo(StepStatus.FAILED);
    assertThat(Objects.requireNonNull(step.error()).message())
        .contains("has started none", "StartChild before Suspend");
  }

  @Test
  void aParentThatIsDeletedAtItsEndLeavesNothingAndStillTakesItsChildAlong() {
    ChildMap map = new ChildMap(request().build(), ParentClosePolicy.CANCEL, 1);
    ChildItems page = new ChildItems(0, List.of(payload("1"), payload("2")), true);
    RunId child = startChild("ship", 1);
    kagzi.engine().children().startMap(fence(task), "map", map, page);
    EventMessage event = new EventMessage("go", payload("1"), "key");
    kagzi.engine().messages().send(NAMESPACE, parent, event);
    kagzi.engine().tasks().publish(new Publication(fence(task), "phase", payload("1"), 1));
    complete(kagzi, task, "1");

    kagzi.engine().runLists().delete(NAMESPACE, parent);

    // The entry that has the children cancelled outlives the run until that is done.
    await().atMost(Duration.ofSeconds(20)).until(() -> rowsOf("ended_parents") == 0);
    assertThat(kagzi.engine().workflows().get(NAMESPACE, child).status())
        .isEqualTo(RunStatus.CANCELLED);
    for (String table :
        List.of(
            "finished_runs",
            "workflow_payloads",
            "step_runs",
            "run_waits",
            "run_events",
            "run_states",
            "child_items",
            "child_maps")) {
      assertThat(rowsOf(table)).as(table).isZero();
    }
    parent = child;
  }

  private long rowsOf(String table) {
    try (Connection connection = kagzi.connection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT count(*) FROM kagzi.%s WHERE run_id = '%s'".formatted(table, parent))) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException refused) {
      throw new IllegalStateException(refused);
    }
  }
}
