package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.ContinueOptions;
import dev.kagzi.sdk.Explanation.Reason;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class ContinueTest extends DurabilitySuite {

  private final WorkflowType<Integer, String> type;
  private final AtomicInteger executions = new AtomicInteger();

  ContinueTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("continue-" + deployment), Integer.class, String.class);
  }

  @Test
  void goesOnAsARunWithTheSameIdAndTheResultIsThatOfTheLast() {
    Queue<String> runs = new ConcurrentLinkedQueue<>();
    var mayEnd = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          runs.add(ctx.runId());
          if (in < 3) {
            throw ctx.continueAs(in + 1);
          }
          ctx.step("wait", mayEnd::await);
          return "ended with " + in;
        });
    String id = freshName("chain");
    WorkflowHandle<String> first = client.start(type).queue(queue()).id(id).input(1).send();
    awaitStatus(first, RunStatus.COMPLETED);

    WorkflowHandle<String> again = client.start(type).queue(queue()).id(id).input(1).send();
    assertThat(again.alreadyExisted()).isTrue();
    assertThat(again.runId()).isNotEqualTo(first.runId());
    assertThat(first.explain().reason()).isEqualTo(Reason.FINISHED);
    assertThat(first.explain().text()).contains("goes on as run");
    mayEnd.countDown();

    assertThat(resultOf(first)).isEqualTo("ended with 3");
    assertThat(runs).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void waitsForItsBranchesFirstAndCanGoOnUnderAnotherVersion() {
    begin(
        worker()
            .register(
                type,
                "1",
                (ctx, in) -> {
                  var unused = ctx.step("beside").async(executions::incrementAndGet);
                  throw ctx.continueAs(in + 1, ContinueOptions.SAME.withVersion("2"));
                })
            .register(type, "2", (ctx, in) -> "version 2 got " + in));

    assertThat(resultOf(start(type, 1))).isEqualTo("version 2 got 2");
    assertThat(executions).hasValue(1);
  }

  @Test
  void isRefusedInsideASagaWhoseWorkIsUndone() {
    serve(
        type,
        (ctx, in) ->
            ctx.saga(saga -> {
              saga.onFailure("undo", executions::incrementAndGet);
              if (in > 0) {
                throw ctx.continueAs(in + 1);
              }
              return "";
            }));

    WorkflowHandle<String> handle = start(type, 1);

    assertThat(failureOf(handle).errorMessage())
        .contains(handle.runId(), "continueAs was called inside a saga");
    assertThat(executions).hasValue(1);
  }

  @Test
  void armsTheExecutionTimeoutAnew() {
    serve(
        type,
        (ctx, in) -> {
          ctx.sleep("nap", Duration.ofMillis(1200));
          if (in < 3) {
            throw ctx.continueAs(in + 1);
          }
          return "in time";
        });

    assertThat(
            resultOf(
                client.start(type).queue(queue()).timeout(Duration.ofSeconds(3)).input(1).send()))
        .isEqualTo("in time");
  }

  @Test
  void fiveHundredStepsStayInShortHistories() throws Exception {
    count(500, 100);
  }

  @Test
  @Tag("soak")
  void aHundredThousandStepsStayInShortHistories() throws Exception {
    count(100_000, 1000);
  }

  private void count(int steps, int perRun) throws Exception {
    serve(
        type,
        (ctx, in) -> {
          int done = in;
          for (int i = 0; i < perRun; i++) {
            done = ctx.step("count", Integer.class, executions::incrementAndGet);
          }
          if (done < steps) {
            throw ctx.continueAs(done);
          }
          return String.valueOf(done);
        });
    long began = System.nanoTime();
    WorkflowHandle<String> handle = start(type, 0);

    assertThat(handle.result(Duration.ofMinutes(20))).isEqualTo(String.valueOf(steps));

    Duration took = Duration.ofNanos(System.nanoTime() - began);
    int longest = longestHistory();
    System.out.printf(
        "FIGURE continueAs: %d steps in %d runs, %d ms, largest history %d%n",
        steps, steps / perRun, took.toMillis(), longest);
    assertThat(longest).isEqualTo(perRun);
  }

  private int longestHistory() throws Exception {
    try (var connection = DriverManager.getConnection(home().jdbcUrl());
        var statement =
            connection.prepareStatement(
                """
                SELECT max(steps) FROM (
                  SELECT count(*) AS steps
                  FROM kagzi.step_runs JOIN kagzi.finished_runs f USING (run_id)
                  WHERE f.workflow_type = ? GROUP BY run_id) AS histories
                """)) {
      statement.setString(1, type.name());
      try (var rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
