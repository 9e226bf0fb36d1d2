package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.net.ConnectException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
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
class HandlersTest extends DurabilitySuite {

  record Order(String id, int amount) {}

  /** What handlers were told, by the run that failed. */
  private static final Map<String, BlockingQueue<WorkflowFailedEvent>> TOLD =
      new ConcurrentHashMap<>();

  static final class Remember implements Workflow<WorkflowFailedEvent, String> {
    @Override
    public String run(WorkflowContext ctx, WorkflowFailedEvent event) {
      ctx.step("remember", () -> told(event.failedRunId()).add(event));
      return "remembered";
    }
  }

  private static BlockingQueue<WorkflowFailedEvent> told(String runId) {
    return TOLD.computeIfAbsent(runId, id -> new LinkedBlockingQueue<>());
  }

  private static WorkflowFailedEvent awaitEvent(WorkflowHandle<?> failed) throws Exception {
    WorkflowFailedEvent event = told(failed.runId()).poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(event).as("what the handler was told").isNotNull();
    return event;
  }

  private final WorkflowType<Order, String> type;
  private final String handler = freshName("handler");
  private final AtomicInteger executions = new AtomicInteger();

  HandlersTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("handled-" + deployment), Order.class, String.class);
  }

  private static String charge(WorkflowContext ctx, Order order) {
    ctx.step("charge")
        .retry(Retry.fixed(2, "5ms"))
        .run(() -> {
          throw new ConnectException("cannot charge " + order.amount());
        });
    return "charged";
  }

  @Test
  void startsTheHandlerOfARunThatFails() throws Exception {
    begin(worker().register(type, HandlersTest::charge).register(handler, new Remember()));

    WorkflowHandle<String> failed =
        client
            .start(type)
            .id(freshName("order"))
            .queue(queue())
            .onFailure(handler)
            .input(new Order("A-1", 12))
            .send();

    WorkflowFailedEvent event = awaitEvent(failed);
    assertThat(event.failedRunId()).isEqualTo(failed.runId());
    assertThat(event.namespace()).isEqualTo("default");
    assertThat(event.workflowType()).isEqualTo(type.name());
    assertThat(event.taskQueue()).isEqualTo(queue());
    assertThat(event.error().kind()).isEqualTo(ErrorKind.NETWORK_ERROR);
    assertThat(event.error().type()).isEqualTo(ConnectException.class.getName());
    assertThat(event.error().message()).isEqualTo("cannot charge 12");
    assertThat(event.error().stackTrace()).contains("HandlersTest");
    assertThat(event.originalInput(Order.class)).isEqualTo(new Order("A-1", 12));
    assertThat(event.attempts()).isEqualTo(1);
    assertThat(event.startedAt()).isNotNull().isBeforeOrEqualTo(event.failedAt());
    assertThat(event.externalId()).startsWith("order-");
    assertThat(event.status()).isEqualTo(RunStatus.FAILED);
    assertThat(event.failedStepKey()).isEqualTo("charge");
  }

  @Test
  void startsTheHandlerOnAnotherQueueWhenTheRunTimesOut() throws Exception {
    String elsewhere = freshName("elsewhere");
    begin(
        Worker.builder(home().address(), elsewhere)
            .drainTimeout("0s")
            .register(handler, new Remember()));

    WorkflowHandle<String> late =
        client
            .start(type)
            .queue(queue())
            .timeout("300ms")
            .onFailure(handler, elsewhere)
            .input(new Order("A-2", 1))
            .send();

    WorkflowFailedEvent event = awaitEvent(late);
    assertThat(event.status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(event.error().kind()).isEqualTo(ErrorKind.TIMEOUT);
    assertThat(event.startedAt()).isNull();
  }

  @Test
  void startsNoHandlerForACancelledRun() {
    WorkflowHandle<String> cancelled =
        client.start(type).queue(queue()).onFailure(handler).input(new Order("A-3", 1)).send();
    cancelled.cancel("not wanted");
    begin(worker().register(type, HandlersTest::charge).register(handler, new Remember()));

    WorkflowHandle<String> failed =
        client.start(type).queue(queue()).onFailure(handler).input(new Order("A-4", 1)).send();
    failureOf(failed);

    assertThat(told(cancelled.runId())).isEmpty();
  }

  @Test
  void startsTheHandlerOfTheNamespaceForWhateverFails() throws Exception {
    begin(worker().register(type, HandlersTest::charge).onAnyFailure(new Remember()));

    WorkflowHandle<String> failed = start(type, new Order("A-5", 7));

    assertThat(awaitEvent(failed).originalInput(Order.class).amount()).isEqualTo(7);
  }

  @Test
  void startsNoHandlerForAHandlerThatFails() throws Exception {
    begin(
        worker()
            .register(type, HandlersTest::charge)
            .onAnyFailure(new Remember())
            .register(
                WorkflowType.of(handler, WorkflowFailedEvent.class, String.class),
                (ctx, event) -> {
                  ctx.step("tell", () -> told("handler of " + event.failedRunId()).add(event));
                  executions.incrementAndGet();
                  throw new IllegalStateException("the handler fails too");
                }));

    WorkflowHandle<String> failed =
        client.start(type).queue(queue()).onFailure(handler).input(new Order("A-6", 1)).send();

    assertThat(awaitEvent(failed).failedRunId()).isEqualTo(failed.runId());
    assertThat(told("handler of " + failed.runId()).poll(LIMIT.toSeconds(), TimeUnit.SECONDS))
        .isNotNull();
    // Another failure and its handler follow; by then one for the handler would have been started.
    WorkflowHandle<String> second = start(type, new Order("A-7", 1));
    awaitEvent(second);
    assertThat(executions).hasValue(1);
    assertThat(TOLD.values().stream().flatMap(BlockingQueue::stream))
        .noneMatch(event -> event.workflowType().equals(handler));
  }
}
