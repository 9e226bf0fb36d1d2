package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class SagasTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final List<String> ledger = new CopyOnWriteArrayList<>();
  private final CountDownLatch began = new CountDownLatch(1);

  SagasTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("sagas-" + deployment), String.class, String.class);
  }

  /** Reserves and charges, then does what the input says. */
  private Workflow<String, String> order() {
    return (ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure("reserve", () -> ledger.add("release"));
          ctx.step("reserve", () -> ledger.add("reserve"));
          saga.onFailure("charge", () -> ledger.add("refund"));
          ctx.step("charge", () -> ledger.add("charge"));
          switch (in) {
            case "fail" ->
                ctx.step("ship")
                    .retry(Retry.none())
                    .run(() -> {
                      throw new ConnectException("no carrier");
                    });
            case "hang" -> ctx.step("ship", this::hang);
            case "sleep" -> ctx.sleep("cool-off", "1h");
            case "nap" -> ctx.sleep("cool-off", "50ms");
            default -> ctx.step("ship", () -> ledger.add("ship"));
          }
          return "shipped";
        });
  }

  private void hang() throws InterruptedException {
    began.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      ledger.add("interrupted");
      throw e;
    }
  }

  @Test
  void undoesNothingThatSucceeds() {
    serve(type, order());

    assertThat(resultOf(start(type, ""))).isEqualTo("shipped");
    assertThat(ledger).containsExactly("reserve", "charge", "ship");
  }

  @Test
  void undoesNothingWhenItOnlySleeps() {
    serve(type, order());

    assertThat(resultOf(start(type, "nap"))).isEqualTo("shipped");
    assertThat(ledger).containsExactly("reserve", "charge");
  }

  @Test
  void undoesItsWorkInReverseOrderWhenItFails() {
    serve(type, order());

    var retried = client.start(type).queue(queue()).retry(Retry.fixed(3, "5ms"));
    WorkflowFailedException failure = failureOf(retried.input("fail").send());

    assertThat(failure.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failure.failedStep()).contains("ship");
    assertThat(failure.errorMessage()).isEqualTo("no carrier");
    assertThat(ledger).containsExactly("reserve", "charge", "refund", "release");
  }

  @Test
  void undoesItsWorkWhenItIsCancelledInTheMiddleOfAStep() throws Exception {
    serve(type, order());
    WorkflowHandle<String> handle = start(type, "hang");
    await(began, "the step begins");

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.STOP_REQUESTED);

    assertEnds(handle, RunStatus.CANCELLED, "not wanted");
    assertThat(ledger).containsExactly("reserve", "charge", "interrupted", "refund", "release");
  }

  @Test
  void undoesItsWorkWhenItIsCancelledInItsSleepAndItsWorkerIsGone() {
    Worker first = serve(type, order());
    WorkflowHandle<String> handle = start(type, "sleep");
    awaitStatus(handle, RunStatus.SLEEPING);
    first.stop();

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.STOP_REQUESTED);
    serve(type, order());

    assertEnds(handle, RunStatus.CANCELLED, "not wanted");
    assertThat(ledger).containsExactly("reserve", "charge", "refund", "release");
  }

  @Test
  void undoesItsWorkWhenItRunsOutOfTime() {
    serve(type, order());

    WorkflowHandle<String> handle =
        client.start(type).queue(queue()).timeout("1s").input("sleep").send();

    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(ledger).containsExactly("reserve", "charge", "refund", "release");
  }

  @Test
  void undoesNothingWhenItIsTerminated() {
    serve(type, order());
    WorkflowHandle<String> handle = start(type, "sleep");
    awaitStatus(handle, RunStatus.SLEEPING);

    assertThat(handle.terminate("at once")).isEqualTo(CancelOutcome.CANCELLED);

    assertEnds(handle, RunStatus.CANCELLED, "at once");
    assertThat(ledger).containsExactly("reserve", "charge");
  }

  @Test
  void undoesTheRestWhenOneThingCannotBeUndone() {
    serve(
        type,
        (ctx, in) ->
            ctx.saga(saga -> {
              saga.onFailure("first", () -> ledger.add("first undone"));
              saga.onFailure(
                  "second",
                  Retry.fixed(2, "5ms"),
                  () -> {
                    ledger.add("second not undone");
                    throw new ConnectException("no");
                  });
              saga.onFailure("third", () -> ledger.add("third undone"));
              return refuse(in);
            }));

    assertThat(failureOf(start(type, "why")).errorMessage()).isEqualTo("why");
    assertThat(ledger)
        .containsExactly("third undone", "second not undone", "second not undone", "first undone");
  }

  private static String refuse(String why) {
    throw new IllegalStateException(why);
  }

  @Test
  void waitsBetweenItsAttemptsToUndoSomethingAlsoWhenItIsStopped() {
    List<Long> attempts = new CopyOnWriteArrayList<>();
    serve(
        type,
        (ctx, in) ->
            ctx.saga(saga -> {
              saga.onFailure(
                  "work",
                  Retry.fixed(2, "3s").jitter(0),
                  () -> {
                    attempts.add(System.nanoTime());
                    throw new ConnectException("not yet");
                  });
              ctx.sleep("long", "1h");
              return in;
            }));
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    handle.cancel("not wanted");

    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(attempts).hasSize(2);
    assertThat(Duration.ofNanos(attempts.get(1) - attempts.get(0)))
        .isGreaterThan(Duration.ofMillis(2900));
  }

  @Test
  void undoesTheInnerSagaFirst() {
    serve(
        type,
        (ctx, in) -> {
          ctx.saga(outer -> {
            outer.onFailure("outer", () -> ledger.add("outer undone"));
            ctx.step("outer", () -> ledger.add("outer"));
            ctx.saga(inner -> {
              inner.onFailure("inner", () -> ledger.add("inner undone"));
              ctx.step("inner", () -> ledger.add("inner"));
              ctx.sleep("long", "1h");
            });
          });
          return in;
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    handle.cancel("both");

    assertEnds(handle, RunStatus.CANCELLED, "both");
    assertThat(ledger).containsExactly("outer", "inner", "inner undone", "outer undone");
  }

  @Test
  void isCancelledAtOnceAfterTheSaga() {
    serve(
        type,
        (ctx, in) -> {
          ctx.saga(saga -> {
            saga.onFailure("work", () -> ledger.add("undone"));
            ctx.step("work", () -> ledger.add("work"));
          });
          ctx.sleep("long", "1h");
          return in;
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    assertThat(handle.cancel("later")).isEqualTo(CancelOutcome.CANCELLED);

    assertThat(ledger).containsExactly("work");
  }

  /** Does something that can be undone, and then sleeps or returns. */
  private void undoable(WorkflowContext ctx, String step, boolean sleeps) throws Exception {
    ctx.saga(saga -> {
      saga.onFailure(step, () -> ledger.add(step + " undone"));
      ctx.step(step, () -> ledger.add(step));
      if (sleeps) {
        ctx.sleep("long", "1h");
      }
    });
  }

  @Test
  void undoesTheSecondSagaAndNotTheFirstWhenItIsCancelledInTheSecond() {
    serve(
        type,
        (ctx, in) -> {
          undoable(ctx, "first", false);
          undoable(ctx, "second", true);
          return in;
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    handle.cancel("not wanted");

    assertEnds(handle, RunStatus.CANCELLED, "not wanted");
    assertThat(ledger).containsExactly("first", "second", "second undone");
  }

  @Test
  void findsItsSagaBehindWhatDoesNotHoldItUp() {
    serve(
        type,
        (ctx, in) -> {
          ctx.setState("begins");
          var limit = ctx.timer("limit", "2h");
          var approval = ctx.event(EventType.of("approved", String.class));
          undoable(ctx, "work", true);
          ctx.all(limit, approval);
          return in;
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    handle.cancel("not wanted");

    assertEnds(handle, RunStatus.CANCELLED, "not wanted");
    assertThat(ledger).containsExactly("work", "work undone");
  }

  private static void assertEnds(WorkflowHandle<?> handle, RunStatus status, String reason) {
    WorkflowFailedException failure = failureOf(handle);
    assertThat(failure.status()).isEqualTo(status);
    assertThat(failure.errorMessage()).isEqualTo(reason);
  }
}
