package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.WaitKind;
import io.grpc.Status;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepRunnerTest {

  record Item(String name) {}

  /** Writes, and never reads back. */
  static final class Opaque {
    private final String secret;

    private Opaque(String secret) {
      this.secret = secret;
    }

    public String getSecret() {
      return secret;
    }
  }

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void returnsWhatTheRecordedBytesReadAs() {
    String runId =
        fixture.run((ctx, in) -> {
          List<Item> made = new ArrayList<>(List.of(new Item("a")));
          List<Item> got = ctx.step("items", TypeRef.listOf(Item.class), () -> made);
          boolean equal = got.equals(made);
          made.clear();
          return equal + " " + got.getFirst().name();
        });

    assertThat(output(runId)).isEqualTo("\"true a\"");
  }

  @Test
  void keepsNullAsAResult() {
    String runId =
        fixture.run((ctx, in) ->
            String.valueOf(ctx.step("nothing", new TypeRef<@Nullable Item>() {}, () -> null)));

    assertThat(output(runId)).isEqualTo("\"null\"");
  }

  @Test
  void failsAStepWhoseResultDoesNotReadBack() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("opaque", Opaque.class, () -> new Opaque("x"));
          return in;
        });

    var failure = received(FailStepRequest.class).getFirst();
    assertThat(received(CompleteStepRequest.class)).isEmpty();
    assertThat(failure.getNonRetryable()).isTrue();
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    assertThat(fixture.view(runId).getFailedStepKey()).isEqualTo("opaque");
    assertThat(fixture.view(runId).getError().getMessage())
        .contains("step 'opaque': the result cannot be recorded")
        .contains("Opaque");
  }

  @Test
  void refusesResultsThatAreTooLarge() {
    String runId =
        fixture.run(
            (ctx, in) -> ctx.step("big", String.class, () -> "x".repeat(Payload.MAX_BYTES)));

    assertThat(fixture.view(runId).getError().getMessage())
        .contains("step 'big'")
        .contains("expected: at most 2097152");
  }

  @Test
  void failsTheStepWhenTheServerRefusesItsResult() {
    fixture
        .server
        .faults()
        .refuseOnce(
            "CompleteStep", Refusals.refusal(Status.Code.INVALID_ARGUMENT, "PAYLOAD_TOO_LARGE"));

    String runId = fixture.run((ctx, in) -> ctx.step("big", String.class, () -> "x"));

    assertThat(received(FailStepRequest.class).getFirst().getNonRetryable()).isTrue();
    assertThat(fixture.view(runId).getError().getMessage()).contains("PAYLOAD_TOO_LARGE");
  }

  @Test
  void triesAgainInPlaceWhenTheRetryIsSoon() {
    fixture.server.calls().onFailStep(failure -> retryAfter(Duration.ofMillis(5)));

    String runId =
        fixture.run((ctx, in) ->
            ctx.step(
                    "flaky",
                    Integer.class,
                    () -> {
                      int attempt = executions.incrementAndGet();
                      if (attempt < 3) {
                        throw new ConnectException("try " + attempt);
                      }
                      return attempt;
                    })
                + "");

    assertThat(output(runId)).isEqualTo("\"3\"");
    assertThat(received(FailStepRequest.class))
        .extracting(failure -> failure.getStep().getAttempt())
        .containsExactly(1, 2);
    var failure = received(FailStepRequest.class).getFirst();
    assertThat(failure.getError().getKind()).isEqualTo(ErrorKind.ERROR_KIND_NETWORK_ERROR);
    assertThat(failure.getRetryPolicy().getMaximumAttempts()).isEqualTo(3);
    assertThat(received(CompleteStepRequest.class).getFirst().getStep().getAttempt()).isEqualTo(3);
  }

  @Test
  void givesTheRunBackWhenTheRetryIsLater() {
    fixture.server.calls().onFailStep(failure -> retryAfter(Duration.ofMinutes(1)));
    String runId = fixture.start();
    fixture.serve((ctx, in) ->
        ctx.step(
            "flaky",
            String.class,
            () -> {
              if (executions.incrementAndGet() == 1) {
                throw new IllegalStateException("once");
              }
              return "good";
            }));
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);

    var wait = received(SuspendRequest.class).getFirst().getWaits(0);
    assertThat(received(SuspendRequest.class).getFirst().getRelease()).isTrue();
    assertThat(wait.getKind()).isEqualTo(WaitKind.WAIT_KIND_RETRY);
    assertThat(wait.getStep().getAttempt()).isEqualTo(2);

    fixture.server.runs().makeReady(runId);
    fixture.awaitFinished(runId);

    assertThat(output(runId)).isEqualTo("\"good\"");
    assertThat(received(CompleteStepRequest.class).getFirst().getStep().getAttempt()).isEqualTo(2);
  }

  @Test
  void throwsTheSameFailureOnReplayAsOnTheFirstRun() {
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      String caught;
      try {
        ctx.step("charge", this::decline);
        caught = "nothing";
      } catch (StepFailedException e) {
        caught =
            "%s %s %s %s %d"
                .formatted(
                    e.step(),
                    e.errorType(),
                    e.is(NonRetryableException.class),
                    e.is(IllegalStateException.class),
                    e.attempts());
      }
      String seen = caught;
      String first = ctx.step("seen", String.class, () -> seen);
      ctx.sleep("nap", "1h");
      return first.equals(caught) + " " + caught;
    });
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(executions).hasValue(1);
    assertThat(output(runId))
        .isEqualTo(
            "\"true charge %s true false 1\"".formatted(NonRetryableException.class.getName()));
  }

  @Test
  void makesAnUncaughtStepFailureTheEndOfTheRun() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("charge", this::decline);
          return in;
        });

    var failure = received(FailWorkflowRequest.class).getFirst();
    assertThat(failure.getFailedStepKey()).isEqualTo("charge");
    assertThat(failure.getNonRetryable()).isTrue();
    assertThat(fixture.view(runId).getError().getType())
        .isEqualTo(NonRetryableException.class.getName());
    assertThat(fixture.view(runId).getError().getMessage()).isEqualTo("declined");
  }

  @Test
  void settlesAFailureItselfWhenTheServerCannot() {
    fixture.server.faults().refuseAlways("FailStep", Status.UNIMPLEMENTED.asRuntimeException());

    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("charge", this::decline);
          return in;
        });

    assertThat(fixture.view(runId).getFailedStepKey()).isEqualTo("charge");
  }

  @Test
  void announcesOnlyStepsThatTakeAWhile() throws InterruptedException {
    var release = new CountDownLatch(1);
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      ctx.step("quick", () -> {});
      ctx.step("slow", release::await);
      return in;
    });
    until(() -> !received(BeginStepRequest.class).isEmpty());
    release.countDown();
    fixture.awaitFinished(runId);

    assertThat(received(BeginStepRequest.class))
        .extracting(begin -> begin.getStep().getStepKey())
        .containsExactly("slow");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
  }

  @Test
  void leavesAnAttemptBehindThatTakesTooLong() {
    fixture.server.workers().stepTimeout(Duration.ofMillis(30));
    var never = new CountDownLatch(1);

    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("stuck", never::await);
          return in;
        });

    assertThat(fixture.view(runId).getError().getKind()).isEqualTo(ErrorKind.ERROR_KIND_TIMEOUT);
    assertThat(fixture.view(runId).getError().getMessage())
        .isEqualTo("Step 'stuck' timed out after 30ms");
  }

  private void decline() {
    executions.incrementAndGet();
    throw new NonRetryableException("declined");
  }

  private static FailStepResponse retryAfter(Duration delay) {
    return FailStepResponse.newBuilder()
        .setRetry(StepRetry.newBuilder().setDelay(WireTimes.fromDuration(delay)))
        .build();
  }

  private String output(String runId) {
    return fixture.view(runId).getOutput().getJson();
  }

  private <Q> List<Q> received(Class<Q> type) {
    return fixture.server.calls().received(type);
  }
}
