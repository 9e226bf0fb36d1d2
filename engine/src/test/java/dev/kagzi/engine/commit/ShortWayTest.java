package dev.kagzi.engine.commit;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.engine.wakeup.DoneSignals;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What goes the short way, and what it leaves to the other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShortWayTest {

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;
  private Task task;
  private DoneSignals done;
  private ShortWay way;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
    done = new DoneSignals(runId -> {});
    Database database = kagzi.database().keepingPlans();
    database.inTransaction(tx -> tx.query("SELECT 1 AS one").only(row -> row.integer("one")));
    way = new ShortWay(database, kagzi.engine().clock(), done);
  }

  @BeforeEach
  void claim() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
    worker = kagzi.registerWorker();
    kagzi.startRun();
    task = kagzi.pollOne(worker);
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  private Command.CompleteStep step(String key) {
    return new Command.CompleteStep(fence(task), worker, result(key, "1"), List.of());
  }

  private Command.Finish end() {
    return new Command.Finish(fence(task), new RunEnding.Completed(payload("2")));
  }

  private Run run() {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, task.claim().runId());
  }

  private long rows(String table) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query("SELECT count(*) AS n FROM kagzi.%s WHERE run_id = :runId".formatted(table))
                .set("runId", task.claim().runId().value())
                .only(row -> row.bigint("n")));
  }

  @Test
  void aStepAndTheEndOfItsRunAreWrittenTogether() {
    done.await(task.claim().runId(), ended -> {});
    Command.CompleteStep step = step("charge");
    Command.Finish end = end();

    Answers answers = way.write(List.of(end, step));

    assertThat(answers.has(step)).isTrue();
    assertThat(answers.has(end)).isTrue();
    assertThat(run().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(rows("step_runs")).isEqualTo(1);
    assertThat(rows("workflow_runs")).isZero();
  }

  @Test
  void whoHasLostTheRunChangesNothing() {
    Fence lost = new Fence(TestEngine.NAMESPACE, task.claim().runId(), task.claim().epoch() - 1);
    var step = new Command.CompleteStep(lost, worker, result("charge", "1"), List.of());
    var end = new Command.Finish(lost, new RunEnding.Completed(payload("2")));

    Answers answers = way.write(List.of(step, end));

    assertThat(answers.has(step)).isFalse();
    assertThat(answers.has(end)).isFalse();
    assertThat(run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(rows("step_runs")).isZero();
  }

  @Test
  void ofResultsOneOfWhichWasWrittenBeforeNoneIs() {
    way.write(List.of(step("charge")));

    Answers answers = way.write(List.of(step("charge"), step("ship")));

    assertThat(answers.has(step("ship"))).isFalse();
    assertThat(rows("step_runs")).isEqualTo(1);
  }

  @Test
  void aRunThatWaitsForSomethingIsNotEnded() {
    var wait =
        new WaitRequest(
            "pause", 1, WaitKind.TIMER, kagzi.engine().clock().instant().plusSeconds(9));
    tasks.suspend(fence(task), List.of(wait), false);
    Command.Finish end = end();

    assertThat(way.write(List.of(end)).has(end)).isFalse();
    tasks.finish(fence(task), end.ending());

    assertThat(run().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(rows("run_waits")).isZero();
  }

  @Test
  void aRunWithAStepUnderWayIsNotEnded() {
    tasks.beginStep(
        new Beginning(
            fence(task),
            worker,
            "charge",
            1,
            1,
            StepKind.FUNCTION,
            false,
            Duration.ofSeconds(9),
            null,
            StepTraits.NONE));
    Command.Finish end = end();

    assertThat(way.write(List.of(end)).has(end)).isFalse();
    tasks.finish(fence(task), end.ending());

    assertThat(run().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(rows("running_steps")).isZero();
  }
}
