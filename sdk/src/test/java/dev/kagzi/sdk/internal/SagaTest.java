package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_TIMED_OUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.StopKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SagaTest {

  private final RunFixture fixture = new RunFixture();
  private final List<String> ledger = new CopyOnWriteArrayList<>();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void tearDown() {
    mayEnd.countDown();
    fixture.close();
  }

  /** Two things to undo, then what the test wants. */
  private Workflow<String, String> saga(Workflow<String, String> rest) {
    return (ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure("a", () -> ledger.add("undo a"));
          ctx.step("a", () -> ledger.add("a"));
          saga.onFailure("b", () -> ledger.add("undo b"));
          ctx.step("b", () -> ledger.add("b"));
          return rest.run(ctx, in);
        });
  }

  @Test
  void marksWhereItBeginsAndEnds() {
    String runId = fixture.run(saga((ctx, in) -> in));

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(completions())
        .extracting(CompleteStepRequest::getSagaMarker)
        .containsExactly(
            SagaMarker.SAGA_MARKER_OPEN,
            SagaMarker.SAGA_MARKER_UNSPECIFIED,
            SagaMarker.SAGA_MARKER_UNSPECIFIED,
            SagaMarker.SAGA_MARKER_CLOSE);
    assertThat(ledger).containsExactly("a", "b");
  }

  @Test
  void undoesInReverseAsStepsOfItsOwnAndIsNotTriedAgain() {
    fixture.server.calls().tryRunsAgain();

    String runId =
        fixture.run(
            saga((ctx, in) -> {
              throw new IllegalStateException("why");
            }));

    assertThat(ledger).containsExactly("a", "b", "undo b", "undo a");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    assertThat(fixture.view(runId).getError().getMessage()).isEqualTo("why");
    assertThat(keysOf(completions()))
        .containsExactly("saga", "a", "b", "compensate:b", "compensate:a", "saga-end");
    assertThat(completions())
        .filteredOn(completion -> completion.getStep().getCompensation())
        .extracting(completion -> completion.getStep().getStepKey())
        .containsExactly("compensate:b", "compensate:a");
    assertThat(failures().getFirst().getNonRetryable()).isTrue();
  }

  @Test
  void undoesTheRestAndSuppressesWhatCouldNotBeUndone() {
    String runId =
        fixture.run((ctx, in) ->
            ctx.saga(saga -> {
              saga.onFailure("a", () -> ledger.add("undo a"));
              saga.onFailure(
                  "b",
                  Retry.fixed(7, "1s"),
                  () -> {
                    throw new IllegalStateException("cannot");
                  });
              return refuse(in);
            }));

    assertThat(ledger).containsExactly("undo a");
    assertThat(fixture.view(runId).getError().getMessage()).isEqualTo("in");
    assertThat(fixture.view(runId).getError().getStackTrace())
        .contains("Suppressed: dev.kagzi.sdk.StepFailedException: step 'compensate:b'");
    FailStepRequest failed = fixture.server.calls().received(FailStepRequest.class).getFirst();
    assertThat(failed.getStep().getCompensation()).isTrue();
    assertThat(failed.getRetryPolicy().getMaximumAttempts()).isEqualTo(7);
  }

  private static String refuse(String why) {
    throw new IllegalStateException(why);
  }

  @Test
  void goesOnUndoingWhereItWasWhenARetryHadToWait() {
    fixture
        .server
        .calls()
        .onFailStep(failure ->
            FailStepResponse.newBuilder()
                .setRetry(
                    StepRetry.newBuilder().setDelay(WireTimes.fromDuration(Duration.ofHours(1))))
                .build());
    String runId = fixture.start();
    fixture.serve((ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure(
              "a",
              () -> {
                ledger.add("undo a");
                if (ledger.size() == 2) {
                  throw new IllegalStateException("not yet");
                }
              });
          saga.onFailure("b", () -> ledger.add("undo b"));
          return refuse(in);
        }));

    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    fixture.server.runs().makeReady(runId);
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("undo b", "undo a", "undo a");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
  }

  @Test
  void stopsAtTheNextNewCallWhenAReplyAsksForIt() {
    String runId = fixture.start();
    fixture.serve(
        saga((ctx, in) -> {
          fixture.server.runs().requestStop(ctx.runId(), StopKind.STOP_KIND_CANCEL, "not wanted");
          ctx.step("hears", () -> ledger.add("hears"));
          try {
            ctx.step("never", () -> ledger.add("never"));
          } catch (Exception e) {
            ledger.add("swallowed");
          } finally {
            ledger.add("finally");
          }
          return in;
        }));
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("a", "b", "hears", "finally", "undo b", "undo a");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_CANCELLED);
    assertThat(failures().getFirst().getStop()).isEqualTo(StopKind.STOP_KIND_CANCEL);
    assertThat(failures().getFirst().getError().getMessage()).isEqualTo("not wanted");
    assertThat(keysOf(completions())).endsWith("saga-end");
  }

  @Test
  void stopsEvenIfTheBodySwallowsItAndReturns() {
    String runId = fixture.start();
    fixture.serve(
        saga((ctx, in) -> {
          fixture.server.runs().requestStop(ctx.runId(), StopKind.STOP_KIND_CANCEL, "");
          ctx.step("hears", () -> {});
          try {
            ctx.now();
          } catch (Throwable careless) {
            ledger.add("swallowed");
          }
          return in;
        }));
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("a", "b", "swallowed", "undo b", "undo a");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_CANCELLED);
    assertThat(fixture.server.calls().received(CompleteWorkflowRequest.class)).isEmpty();
  }

  @Test
  void replaysUpToWhereItWasWhenTheClaimAsksToStop() {
    String runId = fixture.start();
    fixture.serve(
        saga((ctx, in) -> {
          ctx.sleep("long", "1h");
          return in;
        }));
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    until(() -> fixture.activeRuns() == 0);

    fixture.server.runs().requestStop(runId, StopKind.STOP_KIND_TIMEOUT, "too late");
    fixture.server.runs().makeReady(runId);
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("a", "b", "undo b", "undo a");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_TIMED_OUT);
  }

  @Test
  void interruptsARunningStepWhenAHeartbeatAsksToStop() throws Exception {
    fixture.server.workers().terms(Duration.ofMillis(50), Duration.ofSeconds(30));
    String runId = fixture.start();
    fixture.serve(
        saga((ctx, in) -> {
          ctx.step(
              "hang",
              () -> {
                began.countDown();
                try {
                  mayEnd.await();
                } finally {
                  ledger.add("interrupted");
                }
              });
          return in;
        }));
    began.await();

    fixture.server.runs().requestStop(runId, StopKind.STOP_KIND_CANCEL, "not wanted");
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("a", "b", "interrupted", "undo b", "undo a");
    assertThat(fixture.server.calls().received(FailStepRequest.class)).isEmpty();
  }

  @Test
  void doesNotInterruptWhatUndoes() throws Exception {
    fixture.server.workers().terms(Duration.ofMillis(50), Duration.ofSeconds(30));
    String runId = fixture.start();
    fixture.serve((ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure(
              "slow",
              () -> {
                began.countDown();
                mayEnd.await();
                ledger.add("undone");
              });
          return refuse(in);
        }));
    began.await();

    int beats = beats();
    fixture.server.runs().requestStop(runId, StopKind.STOP_KIND_CANCEL, "not wanted");
    until(() -> beats() > beats + 2);
    mayEnd.countDown();
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("undone");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_CANCELLED);
  }

  private int beats() {
    return fixture.server.calls().received(HeartbeatRequest.class).size();
  }

  @Test
  void undoesNothingWhenTheCodeHasChanged() {
    String runId = fixture.start();
    recordForgotten(runId);

    fixture.serve(
        saga((ctx, in) -> {
          throw new IllegalStateException("a new fault");
        }));
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);

    assertThat(ledger).containsExactly("a", "b");
    var released = fixture.server.calls().received(ReleaseTaskRequest.class).getFirst();
    assertThat(released.getReason()).isEqualTo(ReleaseReason.RELEASE_REASON_NON_DETERMINISM);
    assertThat(released.getDivergence().getExpectedStepKey()).isEqualTo("forgotten");
  }

  private void recordForgotten(String runId) {
    fixture
        .server
        .runs()
        .record(
            runId,
            HistoryItem.newBuilder()
                .setStepKey("forgotten")
                .setKind(StepKind.STEP_KIND_FUNCTION)
                .setStatus(StepStatus.STEP_STATUS_COMPLETED)
                .setSettled(true)
                .build());
  }

  @Test
  void goesOnAfterASagaThatHasUndoneItsWork() {
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      try {
        saga((same, text) -> refuse(text)).run(ctx, in);
      } catch (IllegalStateException caught) {
        ctx.step("after", () -> ledger.add("after"));
        ctx.sleep("replays", "1h");
      }
      return "went on";
    });

    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"went on\"");
    assertThat(ledger).containsExactly("a", "b", "undo b", "undo a", "after");
  }

  @Test
  void doesNotMindADivergenceOnceItWasAskedToStop() {
    String runId = fixture.start();
    fixture.server.runs().requestStop(runId, StopKind.STOP_KIND_CANCEL, "");
    recordForgotten(runId);

    fixture.serve(saga((ctx, in) -> in));
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_CANCELLED);
  }

  private List<CompleteStepRequest> completions() {
    return fixture.server.calls().received(CompleteStepRequest.class);
  }

  private List<FailWorkflowRequest> failures() {
    return fixture.server.calls().received(FailWorkflowRequest.class);
  }

  private static List<String> keysOf(List<CompleteStepRequest> requests) {
    return requests.stream().map(request -> request.getStep().getStepKey()).toList();
  }
}
