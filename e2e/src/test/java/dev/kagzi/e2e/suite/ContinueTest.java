package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.ChildFuture;
import dev.kagzi.sdk.ContinueOptions;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Explanation.Reason;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
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

  private static final EventType<String> LETTER = EventType.of("letter", String.class);

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
  void handsOnTheEventsThatNobodyAskedForInTheirOrder() throws Exception {
    WorkflowType<String, String> letters = freshType();
    var began = new CountDownLatch(1);
    var sent = new CountDownLatch(1);
    String id = freshName("letters");
    WorkflowHandle<String> handle = client.start(letters).queue(queue()).id(id).input("").send();
    List.of("a", "b", "c").forEach(letter -> handle.send(LETTER, letter));
    serve(
        letters,
        (ctx, in) -> {
          String read = in + ctx.waitFor(LETTER);
          ctx.step(
              "hold",
              () -> {
                began.countDown();
                sent.await();
              });
          if (read.length() < 5) {
            throw ctx.continueAs(read);
          }
          Optional<String> doubled = ctx.waitFor(LETTER, Duration.ZERO);
          return read + doubled.orElse("");
        });
    await(began, "the first run has read a letter");
    client.sendToId(id, LETTER, "d");
    handle.send(LETTER, "e");
    sent.countDown();

    assertThat(resultOf(handle)).isEqualTo("abcde");
  }

  @Test
  void anEventToTheIdReachesTheSuccessorThatWaits() {
    WorkflowType<String, String> letters = freshType();
    String id = freshName("letters");
    serve(
        letters,
        (ctx, in) -> {
          if (in.isEmpty()) {
            throw ctx.continueAs("successor got ");
          }
          return in + ctx.waitFor(LETTER);
        });
    WorkflowHandle<String> first = client.start(letters).queue(queue()).id(id).input("").send();
    awaitStatus(first, RunStatus.COMPLETED);
    awaitStatus(successorOf(id, letters), RunStatus.SLEEPING);

    client.sendToId(id, LETTER, "x");

    assertThat(resultOf(first)).isEqualTo("successor got x");
  }

  private WorkflowHandle<String> successorOf(String id, WorkflowType<String, String> letters) {
    WorkflowHandle<String> live = client.start(letters).queue(queue()).id(id).input("?").send();
    assertThat(live.alreadyExisted()).isTrue();
    return live;
  }

  @Test
  void theSuccessorShowsWhatWasShownUntilItShowsSomethingElse() throws Exception {
    WorkflowType<String, String> shows = freshType();
    var began = new CountDownLatch(1);
    var mayShow = new CountDownLatch(1);
    String id = freshName("shows");
    serve(
        shows,
        (ctx, in) -> {
          if (in.isEmpty()) {
            for (int i = 0; i < 5; i++) {
              ctx.setState("phase", "first " + i);
            }
            ctx.setState("kept", "by the first");
            throw ctx.continueAs("second");
          }
          ctx.step(
              "hold",
              () -> {
                began.countDown();
                mayShow.await();
              });
          ctx.setState("phase", in);
          return in;
        });
    WorkflowHandle<String> first = client.start(shows).queue(queue()).id(id).input("").send();
    await(began, "the successor begins");
    WorkflowHandle<String> successor = successorOf(id, shows);

    assertThat(successor.runId()).isNotEqualTo(first.runId());
    assertThat(successor.state("phase", String.class)).contains("first 4");
    mayShow.countDown();

    assertThat(resultOf(first)).isEqualTo("second");
    assertThat(successor.state("phase", String.class)).contains("second");
    assertThat(successor.state("kept", String.class)).contains("by the first");
  }

  @Test
  void aParentGetsTheResultOfTheLastSuccessorOfItsChild() throws Exception {
    WorkflowType<String, String> parent = freshType();
    var mayGoOn = new CountDownLatch(1);
    begin(
        worker()
            .register(
                type,
                (ctx, in) -> {
                  ctx.step("hold", () -> mayGoOn.await());
                  if (in % 10 < 3) {
                    throw ctx.continueAs(in + 1);
                  }
                  return String.valueOf(in);
                })
            .register(
                parent,
                (ctx, in) -> {
                  ChildFuture<String> beside = ctx.child(type).name("beside").input(11).start();
                  String awaited = ctx.child(type).input(1).run();
                  StringBuilder all = new StringBuilder(awaited).append(' ').append(beside.get());
                  for (var outcome : ctx.childMap("each", List.of(21, 31), type, 1)) {
                    all.append(' ').append(valueOf(outcome));
                  }
                  return all.toString();
                }));
    WorkflowHandle<String> handle = start(parent, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    mayGoOn.countDown();

    assertThat(resultOf(handle)).isEqualTo("3 13 23 33");
  }

  private static String valueOf(Outcome<String> outcome) {
    return switch (outcome) {
      case Outcome.Succeeded<String> done -> done.value();
      case Outcome.Failed<String> failed -> throw failed.error();
    };
  }

  @Test
  void aParentThatEndsTakesTheSuccessorOfItsChildAlong() {
    WorkflowType<String, String> parent = freshType();
    String id = freshName("child");
    begin(
        worker()
            .register(
                type,
                (ctx, in) -> {
                  if (in < 3) {
                    throw ctx.continueAs(in + 1);
                  }
                  ctx.sleep("long", Duration.ofHours(1));
                  return "";
                })
            .register(parent, (ctx, in) -> ctx.child(type).id(id).input(1).run()));
    WorkflowHandle<String> handle = start(parent, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    Awaitility.await()
        .atMost(LIMIT)
        .until(() ->
            client.start(type).queue(queue()).id(id).input(3).send().status()
                == RunStatus.SLEEPING);
    WorkflowHandle<String> last = client.start(type).queue(queue()).id(id).input(3).send();

    handle.cancel("enough");

    awaitStatus(last, RunStatus.CANCELLED);
  }

  @Test
  void aCancelThroughTheFirstHandleReachesTheLiveSuccessor() {
    serve(
        type,
        (ctx, in) -> {
          if (in < 3) {
            throw ctx.continueAs(in + 1);
          }
          ctx.sleep("long", Duration.ofHours(1));
          return "";
        });
    String id = freshName("chain");
    WorkflowHandle<String> first = client.start(type).queue(queue()).id(id).input(1).send();
    awaitStatus(first, RunStatus.COMPLETED);

    assertThat(first.cancel("enough")).isEqualTo(CancelOutcome.CANCELLED);

    WorkflowFailedException failure = failureOf(first);
    assertThat(failure.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(failure.runId()).isNotEqualTo(first.runId());
    assertThat(failure.errorMessage()).contains("enough");
    assertThat(first.status()).isEqualTo(RunStatus.COMPLETED);
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
