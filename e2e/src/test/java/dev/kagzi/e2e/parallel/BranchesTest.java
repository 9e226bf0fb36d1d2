package dev.kagzi.e2e.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Winner;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class BranchesTest extends DurabilitySuite {

  private final WorkflowType<String, String> type = freshType();
  private final Map<String, AtomicInteger> executions = new ConcurrentHashMap<>();
  private final CountDownLatch never = new CountDownLatch(1);

  BranchesTest(Deployment deployment) {
    super(deployment);
  }

  @AfterEach
  void letGo() {
    never.countDown();
  }

  private String note(String step) {
    executions.computeIfAbsent(step, key -> new AtomicInteger()).incrementAndGet();
    return step;
  }

  private int executionsOf(String step) {
    AtomicInteger found = executions.get(step);
    return found == null ? 0 : found.get();
  }

  private String hang(String step) throws InterruptedException {
    note(step);
    never.await();
    return step;
  }

  @Test
  void executesBranchesAtTheSameTime() {
    var together = new CyclicBarrier(3);
    serve(
        type,
        (ctx, in) -> {
          StepFuture<Integer> one = ctx.step("one").async(Integer.class, () -> meet(together, 1));
          StepFuture<Integer> two = ctx.step("two").async(Integer.class, () -> meet(together, 2));
          int own = ctx.step("own", Integer.class, () -> meet(together, 3));
          ctx.all(one, two);
          return "%d%d%d".formatted(one.get(), two.get(), own);
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("123");
  }

  private static int meet(CyclicBarrier barrier, int result) throws Exception {
    barrier.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
    return result;
  }

  @Test
  void cancelsTheOthersWhenOneFailsAndNeverBeginsThemAgain() {
    serve(
        type,
        (ctx, in) -> {
          String first = failFast(ctx);
          ctx.sleep("replays", "300ms");
          return first + " " + executionsOf("hangs");
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("fails CANCELLED 1");
    assertThat(executionsOf("fails")).isEqualTo(1);
  }

  private String failFast(WorkflowContext ctx) {
    StepFuture<String> hangs = ctx.step("hangs").async(String.class, () -> hang("hangs"));
    StepFuture<@Nullable Void> fails =
        ctx.step("fails").retry(Retry.none()).async(() -> failWhen("hangs"));
    try {
      ctx.all(hangs, fails);
      return "it did not fail";
    } catch (StepFailedException e) {
      return e.step() + " " + kindOf(hangs);
    }
  }

  private void failWhen(String began) {
    note("fails");
    org.awaitility.Awaitility.await().atMost(LIMIT).until(() -> executionsOf(began) > 0);
    throw new IllegalStateException("no");
  }

  private static ErrorKind kindOf(StepFuture<?> future) {
    try {
      future.get();
      return ErrorKind.UNKNOWN;
    } catch (StepFailedException e) {
      return e.kind();
    }
  }

  @Test
  void collectsAllOutcomesInTheirOrder() {
    serve(
        type,
        (ctx, in) -> {
          StepFuture<String> bad =
              ctx.step("bad")
                  .retry(Retry.none())
                  .async(
                      String.class,
                      () -> {
                        throw new IllegalStateException("no");
                      });
          StepFuture<String> good = ctx.step("good").async(String.class, () -> note("good"));
          List<Outcome<String>> outcomes = ctx.settle(List.of(bad, good));
          ctx.sleep("replays", "300ms");
          return outcomes.stream().map(BranchesTest::inWords).toList().toString();
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("[failed bad, good]");
    assertThat(executionsOf("good")).isEqualTo(1);
  }

  private static String inWords(Outcome<String> outcome) {
    return switch (outcome) {
      case Outcome.Succeeded<String> done -> done.value();
      case Outcome.Failed<String> failed -> "failed " + failed.error().step();
    };
  }

  @Test
  void hasTheSameWinnerInEveryReplay() {
    List<String> winners = new ArrayList<>();
    serve(
        type,
        (ctx, in) -> {
          StepFuture<String> slow = ctx.step("slow").async(String.class, () -> hang("slow"));
          StepFuture<String> fast = ctx.step("fast").async(String.class, () -> note("fast"));
          Winner<String> winner = ctx.race("first", List.of(slow, fast));
          synchronized (winners) {
            winners.add(winner.toString());
          }
          ctx.sleep("replays", "300ms");
          return winner.index() + winner.step() + winner.value() + kindOf(slow);
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("1fastfastCANCELLED");
    assertThat(winners).hasSize(2);
    assertThat(winners.get(0)).isEqualTo(winners.get(1));
    assertThat(executionsOf("slow")).isLessThanOrEqualTo(1);
  }

  @Test
  void countsTheLosersOfARaceAsWaitedForInEveryReplay() {
    serve(
        type,
        (ctx, in) -> {
          StepFuture<String> slow = ctx.step("slow").async(String.class, () -> hang("slow"));
          StepFuture<String> fast = ctx.step("fast").async(String.class, () -> note("fast"));
          Winner<String> winner = ctx.race("first", List.of(slow, fast));
          ctx.sleep("replays", "300ms");
          return winner.step();
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("fast");
  }

  @Test
  void letsATimerWinAgainstAStepThatHangs() {
    serve(
        type,
        (ctx, in) -> {
          StepFuture<String> slow = ctx.step("slow").async(String.class, () -> hang("slow"));
          return ctx.race("first", slow, ctx.timer("limit", "300ms")).step();
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("limit");
  }

  @Test
  void remembersATimerThatLostItsRaceAsCancelled() {
    serve(
        type,
        (ctx, in) -> {
          StepFuture<@Nullable Void> hour = ctx.timer("hour", "1h");
          StepFuture<String> fast = ctx.step("fast").async(String.class, () -> note("fast"));
          ctx.race("first", hour, fast);
          ctx.sleep("replays", "300ms");
          return kindOf(hour).name();
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("CANCELLED");
  }

  @Test
  void givesTheWorkerBackWhenOnlyTimersAreLeft() {
    var bodies = new AtomicInteger();
    serve(
        type,
        (ctx, in) -> {
          bodies.incrementAndGet();
          ctx.all(ctx.timer("short", "200ms"), ctx.timer("long", "600ms"));
          return "rung";
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("rung");
    assertThat(bodies).hasValueGreaterThan(1);
  }

  @Test
  void returnsTheResultsInTheOrderOfTheItems() {
    var running = new AtomicInteger();
    var most = new AtomicInteger();
    serve(
        type,
        (ctx, in) ->
            ctx.parallel(
                    "square",
                    List.of(5, 4, 3, 2, 1),
                    item -> "n" + item,
                    2,
                    Integer.class,
                    item -> {
                      most.accumulateAndGet(running.incrementAndGet(), Math::max);
                      TimeUnit.MILLISECONDS.sleep(20L * item);
                      running.decrementAndGet();
                      return item * item;
                    })
                .toString());

    assertThat(resultOf(start(type, ""))).isEqualTo("[25, 16, 9, 4, 1]");
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void repeatsOnlyWhatWasNotFinishedWhenAWorkerIsLost() throws Exception {
    var reached = new CountDownLatch(1);
    var gate = new Semaphore(0);
    Worker first = serve(type, (ctx, in) -> abc(ctx, reached, gate));
    WorkflowHandle<String> handle = start(type, "");
    await(reached, "b began");
    org.awaitility.Awaitility.await().atMost(LIMIT).until(() -> executionsOf("a") == 1);
    first.stop();
    gate.release(10);
    serve(type, (ctx, in) -> abc(ctx, reached, gate));

    assertThat(resultOf(handle)).isEqualTo("[a, b, c]");
    assertThat(executionsOf("a")).isEqualTo(1);
    assertThat(executionsOf("b")).isEqualTo(2);
  }

  private String abc(WorkflowContext ctx, CountDownLatch reached, Semaphore gate) {
    StepFuture<String> a = ctx.step("a").async(String.class, () -> note("a"));
    a.get();
    StepFuture<String> b =
        ctx.step("b")
            .async(
                String.class,
                () -> {
                  note("b");
                  reached.countDown();
                  gate.acquire();
                  return "b";
                });
    StepFuture<String> c = ctx.step("c").async(String.class, () -> note("c"));
    return ctx.all(List.of(a, b, c)).toString();
  }

  @Test
  void keepsTheRunWhileASiblingExecutesAndGivesItBackAfterwards() {
    var bodies = new AtomicInteger();
    var gate = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          bodies.incrementAndGet();
          StepFuture<String> again =
              ctx.step("again").retry(Retry.fixed(2, "4s")).async(String.class, () -> second(gate));
          StepFuture<String> works =
              ctx.step("works")
                  .async(
                      String.class,
                      () -> {
                        gate.await();
                        TimeUnit.MILLISECONDS.sleep(500);
                        return note("works");
                      });
          return ctx.all(List.of(again, works)).toString();
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("[again, works]");
    assertThat(executionsOf("works")).isEqualTo(1);
    assertThat(bodies).hasValue(2);
  }

  private String second(CountDownLatch gate) {
    note("again");
    gate.countDown();
    if (executionsOf("again") < 2) {
      throw new IllegalStateException("not yet");
    }
    return "again";
  }
}
