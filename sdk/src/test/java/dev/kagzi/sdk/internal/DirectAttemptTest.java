package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.StepRetry;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Which thread executes a step, and what becomes of a run whose thread does not leave one. */
class DirectAttemptTest {

  private final RunFixture fixture = new RunFixture();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    mayEnd.countDown();
    fixture.close();
  }

  private void noteThread() {
    threads.add(Thread.currentThread());
  }

  @Test
  void executesTheStepsOfARunOnItsOwnPlatformThread() {
    fixture.run((ctx, in) -> {
      noteThread();
      ctx.step("first", this::noteThread);
      ctx.step("second", this::noteThread);
      return in;
    });

    assertThat(threads).hasSize(3).containsOnly(threads.peek()).noneMatch(Thread::isVirtual);
  }

  @Test
  void leavesAStepToAnotherThreadWhileABranchGoesOn() {
    fixture.run((ctx, in) -> {
      StepFuture<?> branch = ctx.step("branch").async(() -> mayEnd.await());
      noteThread();
      ctx.step("beside", this::noteThread);
      mayEnd.countDown();
      branch.get();
      return in;
    });

    assertThat(threads).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void goesOnOnAnotherThreadWhenAStepDoesNotEnd() throws Exception {
    var before = new AtomicInteger();
    var thrown = new AtomicReference<Throwable>();
    var leftBehind = new CountDownLatch(1);
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("before", () -> before.incrementAndGet());
          try {
            ctx.step("stubborn")
                .timeout("50ms")
                .run(() -> {
                  noteThread();
                  awaitStubbornly();
                });
          } catch (StepFailedException e) {
            noteThread();
            return e.kind().name();
          } catch (WorkflowSuspended e) {
            thrown.set(e);
            leftBehind.countDown();
            throw e;
          }
          return "the step has ended";
        });

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"TIMEOUT\"");
    assertThat(threads).hasSize(2).doesNotHaveDuplicates();
    assertThat(before).hasValue(1);
    assertThat(received(FailStepRequest.class).getError().getKind())
        .isEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);

    mayEnd.countDown();
    leftBehind.await();
    assertThat(thrown.get()).hasMessageContaining("another thread goes on with it");
    until(() -> fixture.activeRuns() == 0);
    received(CompleteWorkflowRequest.class);
    assertThat(fixture.server.calls().received(CompleteStepRequest.class)).hasSize(1);
  }

  @Test
  void triesAgainOnAnotherThreadWhatDidNotEnd() {
    fixture
        .server
        .calls()
        .onFailStep(request ->
            FailStepResponse.newBuilder()
                .setRetry(StepRetry.newBuilder().setNextAttempt(2))
                .build());
    var attempts = new AtomicInteger();
    String runId =
        fixture.run((ctx, in) ->
            ctx.step("stubborn")
                .timeout("50ms")
                .run(
                    String.class,
                    () -> {
                      noteThread();
                      if (attempts.incrementAndGet() == 1) {
                        awaitStubbornly();
                      }
                      return "done";
                    }));

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(threads).hasSize(2).doesNotHaveDuplicates();
    assertThat(received(CompleteStepRequest.class).getStep().getAttempt()).isEqualTo(2);
  }

  @Test
  void keepsItsThreadWhenAStepHeedsThatItsTimeIsOver() {
    String runId =
        fixture.run((ctx, in) -> {
          noteThread();
          try {
            ctx.step("slow").timeout("50ms").run(() -> mayEnd.await());
          } catch (StepFailedException e) {
            noteThread();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return e.errorMessage();
          }
          return in;
        });

    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo("\"Step 'slow' timed out after 50ms\"");
    assertThat(threads).hasSize(2).containsOnly(threads.peek());
  }

  @Test
  void recordsAStepThatLeavesItsThreadInterrupted() {
    String runId =
        fixture.run((ctx, in) ->
            ctx.step(
                "interrupts itself",
                String.class,
                () -> {
                  Thread.currentThread().interrupt();
                  return "done";
                }));

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"done\"");
    received(CompleteStepRequest.class);
  }

  @Test
  void failsARunWhoseStepDidNotEndAndCannotBeRecordedAsFailed() {
    fixture
        .server
        .faults()
        .refuseOnce("FailStep", Refusals.refusal(Status.Code.INVALID_ARGUMENT, "BAD"));
    var executions = new AtomicInteger();
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("stubborn")
              .timeout("50ms")
              .run(() -> {
                executions.incrementAndGet();
                awaitStubbornly();
              });
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    assertThat(executions).hasValue(1);
  }

  @Test
  void goesOnWithItsLimitsWhenTheErrorOfAStepCannotBeTold() throws Exception {
    var begun = new CountDownLatch(1);
    fixture.serve(
        (ctx, in) -> {
          ctx.step("stubborn")
              .timeout("50ms")
              .run(() -> {
                begun.countDown();
                awaitStubbornly();
              });
          return in;
        },
        worker ->
            worker.errorSanitizer(error -> {
              throw new StackOverflowError("no room");
            }));
    fixture.start();

    begun.await();

    until(() -> fixture.activeRuns() == 0);
  }

  @Test
  void keepsWhatItsLogLinesCarryWhateverAStepMakesOfIt() {
    var after = new AtomicReference<Map<String, String>>();
    fixture.run((ctx, in) -> {
      MDC.put("own", "mine");
      ctx.step(
          "clears",
          () -> {
            MDC.clear();
            MDC.put("foreign", "left");
          });
      after.set(MDC.getCopyOfContextMap());
      return in;
    });

    assertThat(after.get())
        .containsEntry("own", "mine")
        .containsKeys(MdcKeys.RUN_ID, MdcKeys.WORKFLOW_TYPE)
        .doesNotContainKeys("foreign", MdcKeys.STEP_ID);
  }

  private void awaitStubbornly() {
    while (mayEnd.getCount() > 0) {
      try {
        mayEnd.await();
      } catch (InterruptedException ignored) {
        // What a stubborn step does.
      }
    }
  }

  private <Q> Q received(Class<Q> type) {
    List<Q> all = fixture.server.calls().received(type);
    assertThat(all).hasSize(1);
    return all.get(0);
  }
}
