package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server hears of branches, and what the workflow hears of them. */
class ParallelTest {

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    mayEnd.countDown();
    fixture.close();
  }

  private String hang() throws InterruptedException {
    executions.incrementAndGet();
    mayEnd.await();
    return "late";
  }

  private String fail() {
    throw new IllegalStateException("no");
  }

  @Test
  void cancelsTheSiblingsOfAFailedStepWithItsFailure() {
    String runId =
        fixture.run((ctx, in) ->
            ctx.parallel(
                    "work",
                    List.of("hangs", "fails"),
                    item -> item,
                    String.class,
                    item -> item.equals("hangs") ? hang() : fail())
                .toString());

    assertThat(fixture.view(runId).getFailedStepKey()).isEqualTo("work[fails]");
    assertThat(fixture.server.runs().step(runId, "work[hangs]").getStatus())
        .isEqualTo(StepStatus.STEP_STATUS_CANCELLED);
    FailStepRequest failure = fixture.server.calls().received(FailStepRequest.class).getFirst();
    assertThat(failure.getStep().getParentStepId()).isEqualTo("work");
    assertThat(failure.getCancelledList())
        .extracting(StepAttempt::getStepKey)
        .containsExactly("work[hangs]");
  }

  @Test
  void groupsBranchesThatAreBegunWithoutALookAtAnyOutcomeBetweenThem() {
    fixture.run((ctx, in) -> {
      StepFuture<String> first = ctx.step("first").async(String.class, () -> "1");
      StepFuture<String> second = ctx.step("second").async(String.class, () -> "2");
      ctx.step("alone", String.class, () -> "");
      StepFuture<String> third = ctx.step("third").async(String.class, () -> "3");
      first.get();
      StepFuture<String> fourth = ctx.step("fourth").async(String.class, () -> "4");
      ctx.all(second, third, fourth);
      return in;
    });

    assertThat(groupOf("first")).isNotEmpty().isEqualTo(groupOf("second"));
    assertThat(groupOf("alone")).isEmpty();
    assertThat(List.of(groupOf("first"), groupOf("third"), groupOf("fourth")))
        .doesNotHaveDuplicates();
  }

  private String groupOf(String step) {
    return fixture.server.calls().received(CompleteStepRequest.class).stream()
        .map(CompleteStepRequest::getStep)
        .filter(attempt -> attempt.getStepKey().equals(step))
        .findFirst()
        .orElseThrow()
        .getParallelGroupId();
  }

  @Test
  void cancelsTheSiblingsOfAStepThatHadFailedBeforeItWasWaitedFor() {
    String runId =
        fixture.run((ctx, in) -> {
          StepFuture<String> fails = ctx.step("fails").async(String.class, this::fail);
          StepFuture<String> hangs = ctx.step("hangs").async(String.class, this::hang);
          ctx.settle(List.of(fails));
          ctx.all(hangs, fails);
          return in;
        });

    assertThat(fixture.view(runId).getFailedStepKey()).isEqualTo("fails");
    assertThat(fixture.server.runs().step(runId, "hangs").getStatus())
        .isEqualTo(StepStatus.STEP_STATUS_CANCELLED);
  }

  @Test
  void recordsTheWinnerOfARaceTogetherWithItsLosers() {
    String runId =
        fixture.run((ctx, in) -> {
          StepFuture<String> slow = ctx.step("slow").async(String.class, this::hang);
          StepFuture<String> fast = ctx.step("fast").async(String.class, () -> "won");
          return ctx.race("first", List.of(slow, fast)).value();
        });

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"won\"");
    CompleteStepRequest marker =
        fixture.server.calls().received(CompleteStepRequest.class).getLast();
    assertThat(marker.getStep().getKind()).isEqualTo(StepKind.STEP_KIND_MARKER);
    assertThat(marker.getCancelledList())
        .extracting(StepAttempt::getStepKey)
        .containsExactly("slow");
  }

  @Test
  void executesNothingThatIsSettled() {
    String runId = fixture.start();
    fixture.server.runs().record(runId, settled("done", StepStatus.STEP_STATUS_COMPLETED));
    fixture.server.runs().record(runId, settled("given-up", StepStatus.STEP_STATUS_CANCELLED));
    fixture.serve((ctx, in) -> {
      StepFuture<String> done = ctx.step("done").async(String.class, this::hang);
      StepFuture<String> givenUp = ctx.step("given-up").async(String.class, this::hang);
      return done.get() + done.isDone() + kindOf(givenUp);
    });
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"recordedtrueCANCELLED\"");
    assertThat(executions).hasValue(0);
  }

  private static HistoryItem settled(String key, StepStatus status) {
    return HistoryItem.newBuilder()
        .setStepKey(key)
        .setKind(StepKind.STEP_KIND_FUNCTION)
        .setStatus(status)
        .setAttempt(1)
        .setSettled(true)
        .setOutput(Payload.newBuilder().setJson("\"recorded\""))
        .build();
  }

  private static String kindOf(StepFuture<String> future) {
    try {
      return future.get();
    } catch (StepFailedException e) {
      return e.kind().name();
    }
  }

  @Test
  void numbersBranchesInTheOrderOfTheirCalls() {
    var gate = new CountDownLatch(1);
    String runId =
        fixture.run((ctx, in) -> {
          StepFuture<String> first =
              ctx.step("same")
                  .async(
                      String.class,
                      () -> {
                        gate.await();
                        return "1";
                      });
          StepFuture<String> second = ctx.step("same").async(String.class, () -> "2");
          second.get();
          gate.countDown();
          return first.get() + second.get();
        });

    assertThat(fixture.server.runs().step(runId, "same").getOutput().getJson()).isEqualTo("\"1\"");
    assertThat(fixture.server.runs().step(runId, "same#2").getSeq()).isEqualTo(2);
  }

  @Test
  void waitsForBranchesThatTheWorkflowHasForgotten() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("forgotten").async(() -> executions.incrementAndGet());
          return in;
        });

    assertThat(fixture.server.runs().step(runId, "forgotten").getSettled()).isTrue();
  }

  @Test
  void handsTheRunBackOnlyWhenNoSiblingExecutes() {
    fixture
        .server
        .calls()
        .onFailStep(request ->
            FailStepResponse.newBuilder()
                .setRetry(
                    StepRetry.newBuilder()
                        .setDelay(WireTimes.fromDuration(java.time.Duration.ofMinutes(5))))
                .build());
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      StepFuture<String> fails =
          ctx.step("fails").retry(Retry.fixed(2, "5m")).async(String.class, this::fail);
      StepFuture<String> hangs = ctx.step("hangs").async(String.class, this::hang);
      return ctx.all(List.of(fails, hangs)).toString();
    });
    until(() -> fixture.server.calls().received(SuspendRequest.class).size() == 1);
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_RUNNING);

    mayEnd.countDown();
    fixture.awaitStatus(runId, WorkflowStatus.WORKFLOW_STATUS_SLEEPING);

    assertThat(fixture.server.calls().received(SuspendRequest.class))
        .extracting(SuspendRequest::getRelease)
        .containsExactly(false, true);
    assertThat(fixture.server.runs().step(runId, "hangs").getSettled()).isTrue();
  }

  @Test
  void refusesAKeyThatTwoItemsShareBeforeAnythingIsExecuted() {
    assertRefused(
        ctx ->
            ctx.parallel(
                "work",
                List.of("a", "b"),
                item -> "same",
                String.class,
                item -> {
                  executions.incrementAndGet();
                  return item;
                }),
        "two items of parallel 'work' have the key 'work[same]'");
  }

  @Test
  void refusesAFutureThatIsNamedTwice() {
    assertRefused(
        ctx -> {
          StepFuture<@Nullable Void> once = ctx.step("once").async(() -> {});
          ctx.all(once, once);
        },
        "branch 'once' is named twice");
  }

  @Test
  void refusesAFutureOfAnotherRun() {
    var other = new AtomicReference<@Nullable StepFuture<@Nullable Void>>();
    fixture.serve((ctx, in) -> {
      StepFuture<@Nullable Void> foreign = other.get();
      if (foreign == null) {
        other.set(ctx.step("foreign").async(() -> {}));
      } else {
        ctx.all(foreign);
      }
      return in;
    });
    fixture.awaitFinished(fixture.start());
    String runId = fixture.start();
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getError().getMessage())
        .contains(runId, "'foreign' is not a branch of this run");
  }

  @Test
  void refusesAStepInsideABranch() {
    assertRefused(
        ctx ->
            ctx.step("outer")
                .async(() -> ctx.step("inner", () -> executions.incrementAndGet()))
                .get(),
        "used inside step 'outer'");
  }

  private interface Body {
    void run(WorkflowContext ctx);
  }

  private void assertRefused(Body body, String message) {
    String runId =
        fixture.run((ctx, in) -> {
          body.run(ctx);
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
    assertThat(fixture.view(runId).getError().getMessage()).contains(runId, message);
    assertThat(fixture.view(runId).getError().getKind()).isNotEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);
    assertThat(executions).hasValue(0);
  }
}
