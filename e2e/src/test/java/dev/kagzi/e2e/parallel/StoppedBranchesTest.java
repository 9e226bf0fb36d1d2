package dev.kagzi.e2e.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Saga;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
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
class StoppedBranchesTest extends DurabilitySuite {

  private final WorkflowType<String, String> type = freshType();
  private final List<String> ledger = new CopyOnWriteArrayList<>();
  private final CountDownLatch began = new CountDownLatch(2);
  private final CountDownLatch interrupted = new CountDownLatch(2);

  StoppedBranchesTest(Deployment deployment) {
    super(deployment);
  }

  private String hang(String step) throws InterruptedException {
    ledger.add(step);
    began.countDown();
    try {
      new CountDownLatch(1).await();
      return step;
    } finally {
      interrupted.countDown();
    }
  }

  private List<StepFuture<String>> hangTwice(WorkflowContext ctx) {
    return List.of(
        ctx.step("one").async(String.class, () -> hang("one")),
        ctx.step("two").async(String.class, () -> hang("two")));
  }

  @Test
  void interruptsTheBranchesOfACancelledRun() throws Exception {
    serve(type, (ctx, in) -> ctx.all(hangTwice(ctx)).toString());
    WorkflowHandle<String> handle = start(type, "");
    await(began, "both branches begin");

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.CANCELLED);

    await(interrupted, "both branches are interrupted");
    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void interruptsTheBranchesOfASagaBeforeItUndoesTheirWork() throws Exception {
    serve(
        type,
        (ctx, in) ->
            ctx.saga(saga -> {
              undoBoth(saga);
              return ctx.all(hangTwice(ctx)).toString();
            }));
    WorkflowHandle<String> handle = start(type, "");
    await(began, "both branches begin");

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.STOP_REQUESTED);

    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(interrupted.getCount()).isZero();
    assertThat(ledger).hasSize(4).endsWith("undo two", "undo one");
  }

  private static void fail() {
    throw new IllegalStateException("no");
  }

  private void undoBoth(Saga saga) {
    saga.onFailure("one", () -> ledger.add("undo one"));
    saga.onFailure("two", () -> ledger.add("undo two"));
  }

  @Test
  void neverBeginsBranchesAgainThatASagaHasGivenUp() throws Exception {
    serve(
        type,
        (ctx, in) -> {
          try {
            ctx.saga(saga -> {
              undoBoth(saga);
              hangTwice(ctx);
              ctx.step("waits", () -> await(began, "both branches begin"));
              fail();
            });
          } catch (IllegalStateException e) {
            ctx.sleep("replays", "300ms");
          }
          return "went on";
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("went on");
    assertThat(ledger).hasSize(4).endsWith("undo two", "undo one");
  }
}
