package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.StopKind;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * No run ends inside a saga. The histories of these runs are recorded beforehand, as those of runs
 * whose worker was lost; the fake server refuses an end that the real one refuses.
 */
class SagaEndTest {

  private final RunFixture fixture = new RunFixture();
  private final List<String> ledger = new CopyOnWriteArrayList<>();
  private final String runId = fixture.start();
  private int seq;

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  private void recorded(StepKind kind, String key) {
    record(kind, key, StepStatus.STEP_STATUS_COMPLETED);
  }

  private void record(StepKind kind, String key, StepStatus status) {
    fixture
        .server
        .runs()
        .record(
            runId,
            HistoryItem.newBuilder()
                .setStepKey(key)
                .setKind(kind)
                .setStatus(status)
                .setAttempt(1)
                .setSeq(++seq)
                .setSettled(status == StepStatus.STEP_STATUS_COMPLETED)
                .build());
  }

  private void marked(String key) {
    recorded(StepKind.STEP_KIND_MARKER, key);
  }

  private void stepped(String key) {
    recorded(StepKind.STEP_KIND_FUNCTION, key);
  }

  private void stopped(Workflow<String, String> workflow) {
    fixture.server.runs().requestStop(runId, StopKind.STOP_KIND_CANCEL, "not wanted");
    fixture.serve(workflow);
    fixture.awaitFinished(runId);
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_CANCELLED);
  }

  private void undoable(WorkflowContext ctx, String step) throws Exception {
    ctx.saga(saga -> {
      saga.onFailure(step, () -> ledger.add("undo " + step));
      ctx.step(step, () -> ledger.add(step));
    });
  }

  private String undoableAndMore(WorkflowContext ctx, String step) throws Exception {
    return ctx.saga(saga -> {
      saga.onFailure(step, () -> ledger.add("undo " + step));
      ctx.step(step, () -> ledger.add(step));
      ctx.step("more", () -> ledger.add("more"));
      return "done";
    });
  }

  @Test
  void aSagaThatWasClosedIsNotUndoneWhenALaterOneIsStopped() {
    marked("saga");
    stepped("first");
    marked("saga-end");
    marked("saga#2");
    stepped("second");

    stopped((ctx, in) -> {
      undoable(ctx, "first");
      return undoableAndMore(ctx, "second");
    });

    assertThat(ledger).containsExactly("undo second");
  }

  @Test
  void aSagaThatWasUndoneStaysSoAlthoughItsBodyReturns() {
    marked("saga");
    stepped("work");
    recorded(StepKind.STEP_KIND_FUNCTION, "compensate:work");
    marked("saga-end");

    stopped((ctx, in) -> {
      undoable(ctx, "work");
      return "not undone";
    });

    assertThat(ledger).isEmpty();
    assertThat(fixture.server.calls().received(CompleteWorkflowRequest.class)).isEmpty();
  }

  @Test
  void aTimerThatGoesOnDoesNotHideTheSagaBehindIt() {
    record(StepKind.STEP_KIND_SLEEP, "limit", StepStatus.STEP_STATUS_RUNNING);
    marked("saga");
    stepped("work");

    stopped((ctx, in) -> {
      var limit = ctx.timer("limit", "1h");
      String result = undoableAndMore(ctx, "work");
      ctx.all(limit);
      return result;
    });

    assertThat(ledger).containsExactly("undo work");
  }

  @Test
  void aBranchThatGoesOnInsideDoesNotHideWhatWasDoneBehindIt() {
    marked("saga");
    record(StepKind.STEP_KIND_FUNCTION, "slow", StepStatus.STEP_STATUS_RUNNING);
    stepped("work");

    stopped((ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure("slow", () -> ledger.add("undo slow"));
          var slow = ctx.step("slow").async(String.class, () -> "begun again");
          saga.onFailure("work", () -> ledger.add("undo work"));
          ctx.step("work", () -> ledger.add("work"));
          return slow.get();
        }));

    assertThat(ledger).containsExactly("undo work", "undo slow");
  }

  @Test
  void aSleepThatWasOverAtOnceDoesNotHideTheSagaBehindIt() {
    marked("saga");
    stepped("work");

    stopped((ctx, in) -> {
      ctx.sleep("not at all", "0s");
      ctx.all(ctx.timer("nor this", "0s"));
      return undoableAndMore(ctx, "work");
    });

    assertThat(ledger).containsExactly("undo work");
  }

  @Test
  void aStateThatIsShownDoesNotHideTheSagaBehindIt() {
    marked("saga");
    stepped("work");

    stopped((ctx, in) -> {
      ctx.setState("begins");
      return undoableAndMore(ctx, "work");
    });

    assertThat(ledger).containsExactly("undo work");
  }

  /** The work may have had its effect in an attempt that was lost with its worker. */
  @Test
  void aStateThatIsShownInsideDoesNotHideWhatIsUndoneBehindIt() {
    marked("saga");

    stopped((ctx, in) ->
        ctx.saga(saga -> {
          ctx.setState("inside");
          ctx.sleep("not at all", "0s");
          saga.onFailure("work", () -> ledger.add("undo work"));
          ctx.step("work", () -> ledger.add("work"));
          return "done";
        }));

    assertThat(ledger).containsExactly("undo work");
  }

  private static String refuse(String why) {
    throw new IllegalStateException(why);
  }

  @Test
  void undoesItsWorkAlthoughTheBodyHasInterruptedItself() {
    fixture.serve((ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure("work", () -> ledger.add("undo work"));
          ctx.step("work", () -> ledger.add("work"));
          Thread.currentThread().interrupt();
          return refuse("interrupted");
        }));
    fixture.awaitFinished(runId);

    assertThat(ledger).containsExactly("work", "undo work");
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    assertThat(fixture.view(runId).getError().getMessage()).isEqualTo("interrupted");
  }

  @Test
  void leavesARunToAnotherPassWhoseUndoingIsNotRecorded() {
    fixture.serve((ctx, in) ->
        ctx.saga(saga -> {
          ledger.add("pass");
          if (ledger.size() == 1) {
            refuseNextResult();
          }
          return refuse("why");
        }));

    assertIsLeftAndThenEnds();
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
  }

  @Test
  void leavesARunToAnotherPassWhoseSagaCannotBeClosed() {
    fixture.serve((ctx, in) -> {
      try {
        return ctx.saga(saga -> {
          ledger.add("pass");
          if (ledger.size() == 1) {
            refuseNextResult();
          }
          return "done";
        });
      } catch (RuntimeException swallowed) {
        return "swallowed";
      }
    });

    assertIsLeftAndThenEnds();
    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"done\"");
  }

  private void refuseNextResult() {
    fixture
        .server
        .faults()
        .refuseOnce(
            "CompleteStep", Refusals.refusal(Status.Code.INVALID_ARGUMENT, "INVALID_ARGUMENT"));
  }

  private void assertIsLeftAndThenEnds() {
    until(() -> ledger.size() == 1 && fixture.activeRuns() == 0);
    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_RUNNING);
    assertThat(fixture.server.calls().received(FailWorkflowRequest.class)).isEmpty();
    assertThat(fixture.server.calls().received(CompleteWorkflowRequest.class)).isEmpty();

    fixture.server.runs().makeReady(runId);
    fixture.awaitFinished(runId);
  }
}
