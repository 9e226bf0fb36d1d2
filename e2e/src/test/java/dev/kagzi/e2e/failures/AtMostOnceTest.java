package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepInterruptedException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class AtMostOnceTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch began = new CountDownLatch(1);

  AtMostOnceTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("once-" + deployment), String.class, String.class);
  }

  /** Charges at most once, and tells what it knows about it. */
  static Workflow<String, String> charge(Runnable charge) {
    return (ctx, in) -> {
      String outcome;
      try {
        ctx.step("charge").atMostOnce().run(charge::run);
        outcome = "charged";
      } catch (StepInterruptedException e) {
        outcome = "ask a person: " + e.kind();
      } catch (StepFailedException e) {
        outcome = "failed: " + e.attempts();
      }
      ctx.sleep("replays", "10ms");
      return outcome;
    };
  }

  @Test
  void isExecutedOnceWhenNothingHappens() {
    serve(type, charge(executions::incrementAndGet));

    assertThat(resultOf(start(type, ""))).isEqualTo("charged");
    assertThat(executions).hasValue(1);
  }

  @Test
  void isNotTriedAgainWhenItThrows() {
    serve(
        type,
        charge(() -> {
          executions.incrementAndGet();
          throw new IllegalStateException("declined");
        }));

    var patient = client.start(type).queue(queue()).retry(Retry.fixed(3, "5ms"));
    assertThat(resultOf(patient.input("").send())).isEqualTo("failed: 1");
    assertThat(executions).hasValue(1);
  }

  @Test
  void isNotExecutedAgainWhenItsWorkerIsStopped() throws Exception {
    Worker first =
        serve(
            type,
            charge(() -> {
              executions.incrementAndGet();
              began.countDown();
              hang();
            }));
    WorkflowHandle<String> handle = start(type, "");
    await(began, "the step begins");

    first.stop();
    serve(type, charge(executions::incrementAndGet));

    assertThat(resultOf(handle)).isEqualTo("ask a person: INTERRUPTED");
    assertThat(executions).hasValue(1);
  }

  private static void hang() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
