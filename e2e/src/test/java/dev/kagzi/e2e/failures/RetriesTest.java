package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RetryAfterException;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class RetriesTest extends DurabilitySuite {

  static final class CardDeclined extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** An answer of a service, as HTTP clients report it. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;

    Refused(int status) {
      this.status = status;
    }

    public int statusCode() {
      return status;
    }
  }

  private final WorkflowType<String, String> type;
  private final AtomicInteger executions = new AtomicInteger();
  private final AtomicInteger bodies = new AtomicInteger();

  RetriesTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("retries-" + deployment), String.class, String.class);
  }

  @Test
  void triesAStepAgainUntilItSucceeds() {
    serve(
        type,
        (ctx, in) ->
            ctx.step("flaky")
                .retry(Retry.exponential(5, "5ms"))
                .run(String.class, this::succeedThird));

    assertThat(resultOf(start(type, ""))).isEqualTo("3");
  }

  private String succeedThird() throws IOException {
    int attempt = executions.incrementAndGet();
    if (attempt < 3) {
      throw new ConnectException("attempt " + attempt);
    }
    return Integer.toString(attempt);
  }

  @Test
  void failsTheRunWhenTheAttemptsAreUsedUp() {
    serve(
        type,
        (ctx, in) -> {
          ctx.step("hopeless").retry(Retry.fixed(4, "5ms")).run(this::refuseToConnect);
          return in;
        });

    WorkflowFailedException failure = failureOf(start(type, ""));

    assertThat(executions).hasValue(4);
    assertThat(failure.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failure.failedStep()).contains("hopeless");
    assertThat(failure.errorType()).isEqualTo(ConnectException.class.getName());
  }

  private void refuseToConnect() throws IOException {
    executions.incrementAndGet();
    throw new ConnectException("no");
  }

  @Test
  void tellsTheWorkflowTheSameOnTheFirstRunAndOnReplay() {
    serve(
        type,
        (ctx, in) -> {
          String first =
              outcome(() -> ctx.step("no").retry(Retry.none()).run(this::refuseToConnect));
          ctx.sleep("suspends", "10ms");
          return first;
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("NETWORK_ERROR 1 true");
    assertThat(executions).hasValue(1);
  }

  private static String outcome(Runnable step) {
    try {
      step.run();
      return "it did not fail";
    } catch (StepFailedException e) {
      return e.kind() + " " + e.attempts() + " " + e.is(IOException.class);
    }
  }

  @Test
  void asksTheStepThenTheRunThenTheWorkerHowOften() {
    begin(
        worker()
            .retry(Retry.fixed(2, "5ms"))
            .register(
                type,
                (ctx, in) -> {
                  var step = ctx.step("counted");
                  if (in.equals("step")) {
                    step.retry(Retry.fixed(4, "5ms"));
                  }
                  step.run(this::refuseToConnect);
                  return in;
                }));

    failureOf(start(type, "worker"));
    assertThat(executions.getAndSet(0)).isEqualTo(2);

    var ofRun = client.start(type).queue(queue()).retry(Retry.fixed(3, "5ms"));
    failureOf(ofRun.input("run").send());
    assertThat(executions.getAndSet(0)).isEqualTo(3);

    failureOf(ofRun.input("step").send());
    assertThat(executions).hasValue(4);
  }

  @Test
  void doesNotTryAgainWhatThePolicyRulesOut() {
    serve(
        type,
        (ctx, in) -> {
          Retry retry = Retry.fixed(5, "5ms").notOn(CardDeclined.class).notOn(ErrorKind.NOT_FOUND);
          ctx.step("charge")
              .retry(retry)
              .run(() -> {
                executions.incrementAndGet();
                switch (in) {
                  case "declined" -> throw new CardDeclined();
                  case "missing" -> throw new IllegalStateException("wrapped", new Refused(404));
                  default -> throw new NonRetryableException("never");
                }
              });
          return in;
        });

    for (String how : new String[] {"declined", "missing", "never"}) {
      failureOf(start(type, how));
      assertThat(executions.getAndSet(0)).as(how).isEqualTo(1);
    }
  }

  @Test
  void triesOnlyTheKindsThatThePolicyNames() {
    serve(
        type,
        (ctx, in) -> {
          ctx.step("call")
              .retry(Retry.fixed(3, "5ms").onlyOn(ErrorKind.RATE_LIMIT_EXCEEDED, ErrorKind.TIMEOUT))
              .run(() -> {
                executions.incrementAndGet();
                throw new Refused(Integer.parseInt(in));
              });
          return in;
        });

    failureOf(start(type, "429"));
    assertThat(executions.getAndSet(0)).isEqualTo(3);
    failureOf(start(type, "503"));
    assertThat(executions).hasValue(1);
  }

  @Test
  void waitsAsLongAsTheErrorAsksFor() {
    var failedAt = new AtomicLong();
    var waited = new AtomicLong();
    serve(
        type,
        (ctx, in) -> {
          ctx.step("busy")
              .retry(Retry.fixed(2, "1h"))
              .run(() -> {
                if (executions.incrementAndGet() == 1) {
                  failedAt.set(System.nanoTime());
                  throw new RetryAfterException("busy", Duration.ofMillis(700));
                }
                waited.set(System.nanoTime() - failedAt.get());
              });
          return in;
        });

    resultOf(start(type, ""));

    assertThat(Duration.ofNanos(waited.get())).isGreaterThan(Duration.ofMillis(690));
  }

  @Test
  void leavesTheWorkerDuringALongWait() {
    Worker worker =
        serve(
            type,
            (ctx, in) ->
                ctx.step("slowly")
                    .retry(Retry.fixed(3, "3s").jitter(0))
                    .run(
                        String.class,
                        () -> {
                          if (executions.incrementAndGet() == 1) {
                            throw new ConnectException("no");
                          }
                          return in;
                        }));
    WorkflowHandle<String> handle = start(type, "done");

    awaitStatus(handle, RunStatus.PENDING);
    awaitIdle(worker);

    assertThat(resultOf(handle)).isEqualTo("done");
    assertThat(executions).hasValue(2);
  }

  @Test
  void triesARunAgainThatFailsOutsideItsSteps() {
    serve(
        type,
        (ctx, in) -> {
          int step = ctx.step("once", Integer.class, executions::incrementAndGet);
          if (bodies.incrementAndGet() < 3) {
            throw new IllegalStateException("outside");
          }
          return "steps executed: " + step;
        });

    var handle = client.start(type).queue(queue()).retry(Retry.fixed(3, "10ms")).input("").send();

    assertThat(resultOf(handle)).isEqualTo("steps executed: 1");
    assertThat(bodies).hasValue(3);
  }

  @Test
  void endsARunThatFailsOutsideItsStepsUnlessItsStarterWishedOtherwise() {
    serve(
        type,
        (ctx, in) -> {
          bodies.incrementAndGet();
          if (in.equals("never")) {
            throw new NonRetryableException("never");
          }
          throw new IllegalStateException("outside");
        });

    WorkflowFailedException failure = failureOf(start(type, ""));
    assertThat(bodies.getAndSet(0)).isEqualTo(1);
    assertThat(failure.failedStep()).isEmpty();

    failureOf(
        client.start(type).queue(queue()).retry(Retry.fixed(3, "10ms")).input("never").send());
    assertThat(bodies).hasValue(1);
  }

  @Test
  void sleepsAHundredTimesWithASingleAttempt() {
    serve(
        type,
        (ctx, in) -> {
          for (int i = 0; i < 100; i++) {
            ctx.sleep("nap", "1ms");
          }
          return "rested";
        });

    var handle = client.start(type).queue(queue()).retry(Retry.none()).input("").send();

    assertThat(resultOf(handle)).isEqualTo("rested");
  }
}
