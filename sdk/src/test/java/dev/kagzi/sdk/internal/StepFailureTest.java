package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RetryAfterException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepInterruptedException;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.RetryPredicate;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the server hears when steps and runs fail, and what the workflow hears of it. */
class StepFailureTest {

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    mayEnd.countDown();
    fixture.close();
  }

  @Test
  void takesEachPartOfThePolicyFromStepRunWorkerAndServer() {
    String runId = fixture.start();
    fixture
        .server
        .runs()
        .retryPolicy(
            runId, RetryPolicies.toWire(Retry.fixed(9, "9s").jitter(0.5).onRetryableErrors()));
    fixture.serve(
        (ctx, in) -> {
          ctx.step("fails").retry(Retry.none().notOn(IOException.class)).run(this::fail);
          return in;
        },
        settings -> settings.retry(Retry.exponential(8, "8s").maximumInterval("80s").jitter(0)));
    fixture.awaitFinished(runId);

    RetryPolicy policy = received(FailStepRequest.class).getRetryPolicy();
    assertThat(policy.getMaximumAttempts()).isEqualTo(1);
    assertThat(policy.getNonRetryableErrorsList()).containsExactly("java.io.IOException");
    assertThat(policy.getInitialInterval().getSeconds()).isEqualTo(9);
    assertThat(policy.getJitter()).isEqualTo(0.5);
    assertThat(policy.getPredicate()).isEqualTo(RetryPredicate.RETRY_PREDICATE_ON_ERROR_KIND);
    assertThat(policy.getErrorKindsList()).hasSize(6);
    assertThat(policy.getMaximumInterval().getSeconds()).isEqualTo(9);
  }

  @Test
  void fallsBackToTheWorkersPolicy() {
    String runId = fixture.start();
    fixture.serve(
        (ctx, in) -> {
          ctx.step("fails", this::fail);
          return in;
        },
        settings -> settings.retry(Retry.fixed(8, "8s")));
    fixture.awaitFinished(runId);

    RetryPolicy policy = received(FailStepRequest.class).getRetryPolicy();
    assertThat(policy.getMaximumAttempts()).isEqualTo(8);
    assertThat(policy.getJitter()).isEqualTo(0.25);
  }

  private void fail() {
    executions.incrementAndGet();
    throw new IllegalStateException("no");
  }

  @Test
  void handsOnWhenAnotherAttemptCanHelp() {
    String runId =
        fixture.run((ctx, in) -> {
          try {
            ctx.step(
                "busy",
                () -> {
                  throw new RetryAfterException("busy", "90s");
                });
          } catch (StepFailedException settled) {
            throw new RetryAfterException("later", Duration.ofSeconds(80));
          }
          return in;
        });

    assertThat(received(FailStepRequest.class).getRetryAfter().getSeconds()).isEqualTo(90);
    FailWorkflowRequest failure = received(FailWorkflowRequest.class);
    assertThat(failure.getRetryAfter().getSeconds()).isEqualTo(80);
    assertThat(failure.getNonRetryable()).isFalse();
    assertThat(failure.getFailedStepKey()).isEmpty();
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
  }

  @Test
  void namesTheStepThatEndedTheRunAlsoInsideAnotherException() {
    fixture.run((ctx, in) -> {
      try {
        ctx.step("fails", this::fail);
      } catch (StepFailedException e) {
        throw new IllegalArgumentException("wrapped", e);
      }
      return in;
    });

    FailWorkflowRequest failure = received(FailWorkflowRequest.class);
    assertThat(failure.getFailedStepKey()).isEqualTo("fails");
    assertThat(failure.getNonRetryable()).isTrue();
    assertThat(failure.getError().getMessage()).isEqualTo("wrapped");
  }

  @Test
  void forgetsARunThatIsTriedAgainLater() {
    fixture.server.calls().tryRunsAgain();
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      if (executions.incrementAndGet() == 1) {
        throw new IllegalStateException("once");
      }
      return in;
    });
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(fixture.view(runId).getLeaseEpoch()).isEqualTo(2);
  }

  @Test
  void endsAnAttemptAtItsOwnLimitEvenIfItDoesNotHeedTheInterruption() {
    var late = new CountDownLatch(1);
    String runId =
        fixture.run((ctx, in) -> {
          try {
            ctx.step("stubborn")
                .timeout("100ms")
                .quiet()
                .run(() -> {
                  awaitStubbornly(mayEnd);
                  late.countDown();
                });
          } catch (StepFailedException e) {
            mayEnd.countDown();
            late.await();
            return e.kind() + " " + e.errorMessage();
          }
          return in;
        });

    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo("\"TIMEOUT Step 'stubborn' timed out after 100ms\"");
    BeginStepRequest announced = received(BeginStepRequest.class);
    assertThat(WireTimes.toDuration(announced.getTimeout())).isEqualTo(Duration.ofMillis(100));
    assertThat(announced.getRetryPolicy().getMaximumAttempts()).isEqualTo(3);
    assertThat(announced.getStep().getQuiet()).isTrue();
    assertThat(fixture.server.calls().received(CompleteStepRequest.class)).isEmpty();
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
  void takesTheLimitOfTheRunElseTheServers() {
    fixture.server.workers().stepTimeout(Duration.ofSeconds(70));
    String ofRun = fixture.start();
    fixture.server.runs().stepTimeout(ofRun, Duration.ofMillis(80));
    fixture.serve((ctx, in) -> {
      ctx.step("hangs", () -> mayEnd.await());
      return in;
    });
    fixture.awaitFinished(ofRun);
    fixture.start();
    until(() -> fixture.server.calls().received(BeginStepRequest.class).size() == 2);

    var announced = fixture.server.calls().received(BeginStepRequest.class);
    assertThat(received(FailStepRequest.class).getError().getKind())
        .isEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);
    assertThat(announced.get(1).getTimeout().getSeconds()).isEqualTo(70);
  }

  @Test
  void leavesWhenItsStuckThreadsAreAsManyAsItsProcessors() {
    int processors = Runtime.getRuntime().availableProcessors();
    Worker worker =
        fixture.serve((ctx, in) -> {
          ctx.step("stubborn").timeout("20ms").run(() -> awaitStubbornly(mayEnd));
          return in;
        });
    for (int i = 0; i < processors - 1; i++) {
      fixture.awaitFinished(fixture.start());
    }
    assertThat(fixture.server.workers().workers()).hasSize(1);

    fixture.awaitFinished(fixture.start());

    until(() -> fixture.server.workers().workers().isEmpty());
    worker.stop();
  }

  @Test
  void recordsThatAnAtMostOnceStepBeginsBeforeItDoes() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("charge")
              .atMostOnce()
              .run(() ->
                  executions.addAndGet(
                      fixture.server.calls().received(BeginStepRequest.class).size()));
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(executions).hasValue(1);
    assertThat(received(BeginStepRequest.class).getStep().getAtMostOnce()).isTrue();
    assertThat(received(BeginStepRequest.class).getRetryPolicy().getMaximumAttempts()).isEqualTo(1);
  }

  @Test
  void tellsAnInterruptedStepFromAFailedOne() {
    String runId = fixture.start();
    fixture
        .server
        .runs()
        .record(
            runId,
            HistoryItem.newBuilder()
                .setStepKey("charge")
                .setKind(StepKind.STEP_KIND_FUNCTION)
                .setStatus(StepStatus.STEP_STATUS_FAILED)
                .setSettled(true)
                .setError(
                    ErrorDetail.newBuilder()
                        .setKind(ErrorKind.ERROR_KIND_INTERRUPTED)
                        .setMessage("lost"))
                .build());
    fixture.serve((ctx, in) -> {
      try {
        ctx.step("charge").atMostOnce().run(executions::incrementAndGet);
      } catch (StepInterruptedException e) {
        return e.kind() + " " + e.errorMessage();
      }
      return in;
    });
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"INTERRUPTED lost\"");
    assertThat(executions).hasValue(0);
  }

  @Test
  void classifiesAsTheApplicationWishesAndElseAsUsual() {
    String runId = fixture.start();
    fixture.serve(
        (ctx, in) -> {
          try {
            ctx.step("own", this::fail);
          } catch (StepFailedException e) {
            ctx.step(
                "usual",
                () -> {
                  throw new IllegalArgumentException(new IOException("no"));
                });
          }
          return in;
        },
        settings ->
            settings.errorClassifier(error ->
                error instanceof IllegalStateException
                    ? Optional.of(dev.kagzi.sdk.ErrorKind.NOT_FOUND)
                    : Optional.empty()));
    fixture.awaitFinished(runId);

    assertThat(fixture.server.calls().received(FailStepRequest.class))
        .extracting(request -> request.getError().getKind())
        .containsExactly(ErrorKind.ERROR_KIND_NOT_FOUND, ErrorKind.ERROR_KIND_NETWORK_ERROR);
  }

  @Test
  void sendsAndLogsOnlyWhatTheSanitizerLeaves() {
    var logged = new ListAppender<ILoggingEvent>();
    var sdk = (Logger) LoggerFactory.getLogger("dev.kagzi.sdk.internal");
    Level level = sdk.getLevel();
    logged.start();
    sdk.addAppender(logged);
    sdk.setLevel(Level.DEBUG);
    String runId = fixture.start();
    fixture.serve(
        (ctx, in) -> {
          ctx.step(
              "leaks",
              () -> {
                throw new IllegalStateException("card 4711", new IOException("pin 4711"));
              });
          return in;
        },
        settings ->
            settings.errorSanitizer(error -> error.mapText(text -> text.replace("4711", "****"))));
    fixture.awaitFinished(runId);

    for (String sent :
        new String[] {received(FailStepRequest.class) + "", fixture.view(runId) + ""}) {
      assertThat(sent).contains("card ****").contains("pin ****").doesNotContain("4711");
    }
    sdk.setLevel(level);
    sdk.detachAppender(logged);
    assertThat(logged.list)
        .anyMatch(line -> line.getFormattedMessage().contains("card ****"))
        .noneMatch(line ->
            line.getFormattedMessage().contains("4711")
                || ThrowableProxyUtil.asString(line.getThrowableProxy()).contains("4711"));
  }

  @Test
  void sendsNothingOfAnErrorWhoseSanitizerFails() {
    String runId = fixture.start();
    fixture.serve(
        (ctx, in) -> {
          throw new IllegalStateException("card 4711");
        },
        settings ->
            settings.errorSanitizer(error -> {
              throw new IllegalArgumentException(error.message());
            }));
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId) + "")
        .contains("the error sanitizer failed")
        .contains("IllegalStateException")
        .doesNotContain("4711");
  }

  @Test
  void refusesLimitsThatMakeNoSense() {
    fixture.run((ctx, in) -> {
      assertThatThrownBy(() -> ctx.step("a").timeout("0s"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("timeout: PT0S (expected: > 0)");
      executions.incrementAndGet();
      return in;
    });

    assertThat(executions).hasValue(1);
  }

  private <Q> Q received(Class<Q> request) {
    return fixture.server.calls().received(request).getFirst();
  }
}
