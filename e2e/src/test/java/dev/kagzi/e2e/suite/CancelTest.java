package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class CancelTest extends DurabilitySuite {

  /** What a busy machine may add to a heartbeat; much less than a run would go on otherwise. */
  private static final Duration SLACK = Duration.ofSeconds(2);

  private final WorkflowType<String, String> type;
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  CancelTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("cancel-" + deployment), String.class, String.class);
  }

  @Test
  void endsAPendingRunThatThenNeverBegins() {
    WorkflowHandle<String> handle = start(type, "cancelled");
    assertThat(handle.status()).isEqualTo(RunStatus.PENDING);

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.CANCELLED);

    assertIsCancelled(handle, "not wanted");
    serve(type, (ctx, in) -> in + executions.incrementAndGet());
    assertThat(resultOf(start(type, "later "))).isEqualTo("later 1");
  }

  @Test
  void endsASleepingRun() {
    serve(
        type,
        (ctx, in) -> {
          ctx.sleep("long", "1h");
          return "slept";
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.CANCELLED);

    assertIsCancelled(handle, "not wanted");
  }

  @Test
  void interruptsARunningStepWithinAHeartbeat() throws Exception {
    Worker worker =
        serve(
            type,
            (ctx, in) -> {
              ctx.step("hang", this::hang);
              ctx.step("later", executions::incrementAndGet);
              return "went on";
            });
    WorkflowHandle<String> handle = start(type, "");
    await(began, "the step begins");
    assertThat(handle.status()).isEqualTo(RunStatus.RUNNING);

    long asked = System.nanoTime();
    assertThat(handle.cancel("stop it")).isEqualTo(CancelOutcome.CANCELLED);
    await(interrupted, "the step is interrupted");
    Duration took = Duration.ofNanos(System.nanoTime() - asked);

    assertThat(took).isLessThan(Deployment.HEARTBEAT_INTERVAL.plus(SLACK));
    awaitIdle(worker);
    assertIsCancelled(handle, "stop it");
    assertThat(executions).hasValue(0);
  }

  private void hang() throws InterruptedException {
    began.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw e;
    }
  }

  @Test
  void dropsTheResultOfAStepThatDoesNotHeedItsInterruption() throws Exception {
    var mayEnd = new CountDownLatch(1);
    Worker worker =
        serve(
            type,
            (ctx, in) -> {
              ctx.step(
                  "stubborn",
                  () -> {
                    began.countDown();
                    awaitStubbornly(mayEnd);
                  });
              ctx.step("later", executions::incrementAndGet);
              return "went on";
            });
    WorkflowHandle<String> handle = start(type, "");
    await(began, "the step begins");

    handle.cancel("stop it");
    mayEnd.countDown();

    awaitIdle(worker);
    assertIsCancelled(handle, "stop it");
    assertThat(executions).hasValue(0);
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        // What a stubborn step does.
      }
    }
  }

  @Test
  void tellsWhoeverWaitsForTheResult() throws Exception {
    WorkflowHandle<String> handle = start(type, "");
    var waiting = CompletableFuture.supplyAsync(() -> failureOf(handle));

    client.handle(handle.runId()).cancel("not wanted");

    WorkflowFailedException failure = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(failure.errorMessage()).isEqualTo("not wanted");
  }

  @Test
  void isSafeToRepeatAndTheFirstReasonStays() {
    WorkflowHandle<String> handle = start(type, "");

    assertThat(handle.cancel("first")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(handle.cancel("second")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(handle.cancel()).isEqualTo(CancelOutcome.CANCELLED);

    assertIsCancelled(handle, "first");
  }

  @Test
  void leavesARunAloneThatHasEnded() {
    serve(type, (ctx, in) -> in);
    WorkflowHandle<String> handle = start(type, "done");
    resultOf(handle);

    assertThat(handle.cancel("too late")).isEqualTo(CancelOutcome.ALREADY_FINISHED);

    assertThat(handle.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(resultOf(handle)).isEqualTo("done");
  }

  @Test
  void saysThatThereIsNoSuchRun() {
    assertThatThrownBy(() -> client.handle(UUID.randomUUID().toString()).cancel())
        .isInstanceOf(WorkflowNotFoundException.class);
  }

  private static void assertIsCancelled(WorkflowHandle<?> handle, String reason) {
    WorkflowFailedException failure = failureOf(handle);
    assertThat(failure.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(failure.errorMessage()).isEqualTo(reason);
    assertThat(handle.status()).isEqualTo(RunStatus.CANCELLED);
  }
}
