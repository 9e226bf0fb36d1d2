package dev.kagzi.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Winner;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class EventsTest extends DurabilitySuite {

  private record Approval(boolean ok, String by) {}

  private static final EventType<Approval> APPROVED = EventType.of("approved", Approval.class);
  private static final Approval YES = new Approval(true, "eve");

  private final WorkflowType<String, String> type = freshType();
  private final AtomicInteger passes = new AtomicInteger();
  private final CountDownLatch never = new CountDownLatch(1);

  EventsTest(Deployment deployment) {
    super(deployment);
  }

  @AfterEach
  void letGo() {
    never.countDown();
  }

  private Worker serveWaiting() {
    return serve(
        type,
        (ctx, in) -> {
          passes.incrementAndGet();
          return ctx.waitFor(APPROVED).by();
        });
  }

  @Test
  void aRunThatWaitsHoldsNoWorkerAndGoesOnWithTheEvent() {
    Worker worker = serveWaiting();
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    awaitIdle(worker);

    client.send(handle.runId(), APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("eve");
    assertThat(passes).hasValue(2);
  }

  @Test
  void anEventThatCameBeforeTheWaitIsThere() {
    WorkflowHandle<String> handle = start(type, "");
    client.send(handle.runId(), APPROVED, YES);
    serveWaiting();

    assertThat(resultOf(handle)).isEqualTo("eve");
    assertThat(passes).hasValue(1);
  }

  @Test
  void aWaitThatGetsNothingInTimeIsEmpty() {
    serve(type, (ctx, in) -> ctx.waitFor(APPROVED, "300ms").map(Approval::by).orElse("nobody"));

    assertThat(resultOf(start(type, ""))).isEqualTo("nobody");
  }

  @Test
  void anEventEndsARaceWhileTheOtherBranchStillExecutes() throws Exception {
    var executing = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          StepFuture<Optional<Approval>> event = ctx.event(APPROVED);
          StepFuture<String> work =
              ctx.step("work")
                  .async(
                      String.class,
                      () -> {
                        executing.countDown();
                        never.await();
                        return "done";
                      });
          Winner<?> winner = ctx.race("first", event, work);
          return winner.step() + " " + event.get().orElseThrow().by();
        });
    WorkflowHandle<String> handle = start(type, "");
    await(executing, "the step begins");

    client.send(handle.runId(), APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("approved eve");
  }
}
