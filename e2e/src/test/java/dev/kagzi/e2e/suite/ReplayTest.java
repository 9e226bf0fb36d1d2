package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class ReplayTest extends DurabilitySuite {

  /** Long enough to be asleep before it is over, also on a busy machine. */
  private static final Duration BRIEFLY = Duration.ofMillis(400);

  private final WorkflowType<String, String> type;
  private final AtomicInteger executions = new AtomicInteger();

  ReplayTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("replay-" + deployment), String.class, String.class);
  }

  /** Parked for 5 s after the first try and for 10 s after the second, unless a worker comes. */
  private static final Duration SECOND_PARKING = Duration.ofSeconds(10);

  @Test
  void parksARunThatTheCodeDoesNotFitAndGoesOnAtOnceWhenTheRightCodeComes() throws Exception {
    Workflow<String, String> right =
        (ctx, in) -> {
          String first = ctx.step("first", String.class, () -> in + executions.incrementAndGet());
          ctx.sleep("until the deploy", Duration.ofSeconds(1));
          return first;
        };
    Worker old = serve(type, right);
    WorkflowHandle<String> handle = start(type, "kept ");
    awaitStatus(handle, RunStatus.SLEEPING);
    old.stop();
    parkOnce(handle);
    parkOnce(handle);
    assertThatThrownBy(() -> handle.result(Duration.ofMillis(300)))
        .isInstanceOf(TimeoutException.class);
    assertThat(handle.status()).isEqualTo(RunStatus.PENDING);

    long deployed = System.nanoTime();
    serve(type, right);

    assertThat(resultOf(handle)).isEqualTo("kept 1");
    assertThat(Duration.ofNanos(System.nanoTime() - deployed))
        .isLessThan(SECOND_PARKING.dividedBy(2));
    assertThat(executions).hasValue(1);
  }

  private void parkOnce(WorkflowHandle<String> handle) throws InterruptedException {
    var tried = new CountDownLatch(1);
    Worker wrong =
        serve(
            type,
            (ctx, in) -> {
              tried.countDown();
              return "forgot the step";
            });
    await(tried, "the wrong code is tried");
    awaitStatus(handle, RunStatus.PENDING);
    wrong.stop();
  }

  @Test
  void refusesTheContextOnAnotherThreadAndInsideAStep() {
    serve(
        type,
        (ctx, in) -> {
          var refusals = new ConcurrentLinkedQueue<String>();
          Thread foreign =
              Thread.ofVirtual()
                  .start(() -> {
                    refused(refusals, () -> ctx.step("foreign", executions::incrementAndGet));
                    refused(refusals, () -> ctx.sleep("foreign", BRIEFLY));
                    refused(refusals, ctx::now);
                  });
          foreign.join();
          ctx.step(
              "outer",
              () -> {
                refused(refusals, () -> ctx.step("inner", executions::incrementAndGet));
                refused(refusals, () -> ctx.sleep("inner", BRIEFLY));
                refused(refusals, ctx::now);
              });
          return String.join("; ", refusals);
        });

    assertThat(resultOf(start(type, "")).split("; "))
        .hasSize(6)
        .allSatisfy(refusal -> assertThat(refusal).startsWith("The context was used"));
    assertThat(executions).hasValue(0);
  }

  private static void refused(ConcurrentLinkedQueue<String> refusals, Runnable use) {
    try {
      use.run();
    } catch (IllegalStateException e) {
      refusals.add(String.valueOf(e.getMessage()));
    }
  }

  @Test
  void isNotSwallowedByCodeThatCatchesExceptions() {
    var swallowed = new AtomicInteger();
    serve(
        type,
        (ctx, in) -> {
          try {
            ctx.sleep("nap", BRIEFLY);
          } catch (Exception e) {
            swallowed.incrementAndGet();
          } finally {
            ctx.step("clean up", executions::incrementAndGet);
          }
          return in;
        });

    assertThat(resultOf(start(type, "awake"))).isEqualTo("awake");

    assertThat(swallowed).hasValue(0);
    assertThat(executions).hasValue(1);
  }

  @Test
  @SuppressWarnings("CatchingUnchecked")
  void believesTheSuspensionAndNotWhatTheBodyReturns() {
    serve(
        type,
        (ctx, in) -> {
          try {
            ctx.sleep("nap", BRIEFLY);
          } catch (Throwable suspended) {
            return "caught it";
          }
          return in;
        });

    assertThat(resultOf(start(type, "awake"))).isEqualTo("awake");
  }

  @Test
  void seesTheSameTimeAndIdsInEveryPassOnWhicheverWorker() {
    var passes = new ConcurrentLinkedQueue<List<?>>();
    Workflow<String, String> workflow =
        (ctx, in) -> {
          passes.add(
              List.of(
                  ctx.now(),
                  ctx.now(),
                  ctx.uuid("order"),
                  ctx.idempotencyKey("charge"),
                  ctx.runId()));
          ctx.sleep("until another worker is there", Duration.ofSeconds(1));
          return in;
        };
    Worker first = serve(type, workflow);
    WorkflowHandle<String> handle = start(type, "done");
    awaitStatus(handle, RunStatus.SLEEPING);
    first.stop();

    serve(type, workflow);
    assertThat(resultOf(handle)).isEqualTo("done");

    assertThat(passes).hasSize(2).containsOnly(passes.element());
    List<?> ofTheFirst = passes.element();
    passes.clear();
    resultOf(start(type, "done"));
    assertThat(passes).hasSize(2).containsOnly(passes.element());
    assertThat(Collections.disjoint(passes.element(), ofTheFirst)).isTrue();
  }

  @Test
  void logsEachLineOnce() {
    var logger = (Logger) LoggerFactory.getLogger("kagzi.workflow." + type.name());
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    serve(
        type,
        (ctx, in) -> {
          ctx.log().info("before {}", in);
          ctx.step("work", executions::incrementAndGet);
          ctx.log().info("between");
          ctx.sleep("nap", BRIEFLY);
          ctx.log().info("after");
          return in;
        });

    resultOf(start(type, "work"));

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("before work", "between", "after");
  }
}
