package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_FAILED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunExecutorTest {

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void completesARunWithWhatItsBodyReturns() {
    String runId = fixture.run((ctx, in) -> ctx.step("greet", String.class, () -> "hello " + in));

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"hello in\"");
    assertThat(step(runId, "greet").getOutput().getJson()).isEqualTo("\"hello in\"");
    assertThat(step(runId, "greet").getAttempt()).isEqualTo(1);
  }

  @Test
  void numbersRepeatedNamesInCallOrder() {
    String runId =
        fixture.run((ctx, in) -> {
          ctx.step("a", () -> {});
          ctx.step("a", () -> {});
          ctx.step("a").key("x").run(() -> {});
          ctx.step("a").key("x").run(() -> {});
          ctx.sleep("a", "0s");
          ctx.step("a", () -> {});
          return in;
        });

    assertThat(fixture.server.runs().steps(runId))
        .extracting(HistoryItem::getStepKey)
        .containsExactly("a", "a#2", "a[x]", "a[x]#2", "a#4");
    assertThat(fixture.server.runs().steps(runId))
        .extracting(HistoryItem::getSeq)
        .containsExactly(1, 2, 3, 4, 6);
  }

  @Test
  void returnsRecordedResultsWithoutExecutingAgain() {
    String runId = fixture.start();
    record(runId, completed("first", "\"recorded\""));

    fixture.serve((ctx, in) -> {
      boolean replaying = ctx.replaying();
      String first = ctx.step("first", String.class, this::countedText);
      return first + replaying + ctx.replaying();
    });
    fixture.awaitFinished(runId);

    assertThat(executions).hasValue(0);
    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"recordedtruefalse\"");
  }

  @Test
  void readsLaterPagesOfTheHistory() {
    String runId = fixture.start();
    fixture.server.runs().historyPageSize(2);
    for (int i = 0; i < 5; i++) {
      record(runId, completed("step-" + i, "\"" + i + "\""));
    }

    fixture.serve((ctx, in) -> {
      var all = new StringBuilder();
      for (int i = 0; i < 5; i++) {
        all.append(ctx.step("step-" + i, String.class, this::countedText));
      }
      return all.toString();
    });
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"01234\"");
    assertThat(received(GetHistoryRequest.class)).hasSize(2);
    assertThat(executions).hasValue(0);
  }

  @Test
  void suspendsAtASleepAndGoesOnAfterIt() {
    List<String> trace = new CopyOnWriteArrayList<>();
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      String before = ctx.step("before", String.class, () -> note(trace, "before"));
      ctx.sleep("nap", "1h");
      return before + ctx.step("after", String.class, () -> note(trace, "after"));
    });
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    assertThat(trace).containsExactly("before");

    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(trace).containsExactly("before", "after");
    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"beforeafter\"");
  }

  @Test
  void refusesEverythingAfterASuspension() {
    List<String> trace = new CopyOnWriteArrayList<>();
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      try {
        ctx.sleep("nap", "1h");
      } catch (Exception neverSeen) {
        trace.add("caught " + neverSeen);
      } finally {
        ctx.step("cleanup", () -> trace.add("cleanup"));
      }
      return "done";
    });
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    until(() -> executionsEnded());
    assertThat(trace).isEmpty();

    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(trace).containsExactly("cleanup");
  }

  @Test
  void believesTheContextWhenASuspensionIsSwallowed() {
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      try {
        ctx.sleep("nap", "1h");
      } catch (Error swallowed) {
        return "wrong";
      }
      return "right";
    });
    fixture.awaitStatus(runId, WORKFLOW_STATUS_SLEEPING);
    until(() -> executionsEnded());
    assertThat(received(CompleteWorkflowRequest.class)).isEmpty();

    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"right\"");
  }

  @Test
  void dropsARunWhoseLeaseWasLost() {
    String runId = fixture.start();
    fixture
        .server
        .faults()
        .refuseOnce("CompleteStep", Refusals.refusal(Status.Code.ABORTED, "LEASE_LOST"));
    fixture.serve((ctx, in) -> {
      ctx.step("first", () -> {});
      return ctx.step("second", String.class, this::countedText);
    });

    until(() -> !received(CompleteStepRequest.class).isEmpty() && executionsEnded());

    assertThat(executions).hasValue(0);
    assertThat(received(CompleteWorkflowRequest.class)).isEmpty();
    assertThat(received(FailWorkflowRequest.class)).isEmpty();
    assertThat(fixture.server.runs().steps(runId)).isEmpty();
  }

  @Test
  void adoptsAResultThatWasRecordedBefore() {
    String runId = fixture.start();
    fixture.serve((ctx, in) ->
        ctx.step(
            "only",
            String.class,
            () -> {
              record(runId, completed("only", "\"theirs\""));
              return "ours";
            }));
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"theirs\"");
  }

  @Test
  void failsARunWithTheErrorOfItsBody() {
    String runId =
        fixture.run((ctx, in) -> {
          throw new IllegalArgumentException("no");
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_FAILED);
    var error = fixture.view(runId).getError();
    assertThat(error.getType()).isEqualTo("java.lang.IllegalArgumentException");
    assertThat(error.getTypeHierarchyList()).contains("java.lang.RuntimeException");
    assertThat(error.getMessage()).isEqualTo("no");
    assertThat(error.getStackTrace()).contains("RunExecutorTest");
    assertThat(received(FailWorkflowRequest.class).getFirst().getNonRetryable()).isFalse();
  }

  @Test
  void failsARunWhoseInputDoesNotRead() {
    String runId = fixture.server.runs().start(RunFixture.TYPE, "{\"not\":\"text\"}");
    fixture.serve((ctx, in) -> in);
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getError().getMessage())
        .contains("workflow 'tested': the input cannot be used");
  }

  @Test
  void tellsTheWorkflowThatASleepIsRefused() {
    fixture
        .server
        .faults()
        .refuseOnce("Sleep", Refusals.refusal(Status.Code.INVALID_ARGUMENT, "INVALID_ARGUMENT"));

    String runId =
        fixture.run((ctx, in) -> {
          ctx.sleep("nap", "9999w");
          return in;
        });

    assertThat(fixture.view(runId).getError().getType())
        .isEqualTo(RequestRefusedException.class.getName());
    assertThat(fixture.view(runId).getError().getMessage()).startsWith("'nap': ");
  }

  @Test
  void doesNotFailARunWhoseHistoryCannotBeRead() {
    String runId = fixture.start();
    fixture.server.runs().historyPageSize(1);
    record(runId, completed("first", "1"));
    record(runId, completed("second", "2"));
    fixture.server.faults().refuseAlways("GetHistory", Status.UNIMPLEMENTED.asRuntimeException());

    fixture.serve((ctx, in) -> in);
    until(() -> !received(GetHistoryRequest.class).isEmpty() && executionsEnded());

    assertThat(received(FailWorkflowRequest.class)).isEmpty();
    assertThat(received(CompleteWorkflowRequest.class)).isEmpty();
  }

  @Test
  void handsARunBackThatNoLongerAsksForARecordedStep() {
    String runId = fixture.start();
    record(runId, completed("gone", "1"));
    fixture.serve((ctx, in) -> in);
    until(() -> !received(ReleaseTaskRequest.class).isEmpty());

    var release = received(ReleaseTaskRequest.class).getFirst();
    assertThat(release.getReason()).isEqualTo(ReleaseReason.RELEASE_REASON_NON_DETERMINISM);
    assertThat(release.getDivergence().getExpectedStepKey()).isEqualTo("gone");
    assertThat(received(CompleteWorkflowRequest.class)).isEmpty();
  }

  @Test
  void handsARunBackThatAsksForAnotherKindUnderAKey() {
    String runId = fixture.start();
    record(runId, completed("pause", "1"));
    fixture.serve((ctx, in) -> {
      ctx.sleep("pause", "1s");
      return in;
    });
    until(() -> !received(ReleaseTaskRequest.class).isEmpty());

    var divergence = received(ReleaseTaskRequest.class).getFirst().getDivergence();
    assertThat(divergence.getExpectedKind()).isEqualTo(StepKind.STEP_KIND_FUNCTION);
    assertThat(divergence.getFoundKind()).isEqualTo(StepKind.STEP_KIND_SLEEP);
  }

  @Test
  void refusesTheContextInsideAStepAndOnOtherThreads() {
    var inside = new ArrayList<Throwable>();
    String runId =
        fixture.run((ctx, in) -> {
          try {
            ctx.step("outer", () -> ctx.step("inner", () -> {}));
          } catch (StepFailedException e) {
            inside.add(e);
          }
          Thread other =
              Thread.ofVirtual()
                  .unstarted(() -> {
                    try {
                      ctx.step("elsewhere", () -> {});
                    } catch (IllegalStateException e) {
                      inside.add(e);
                    }
                  });
          other.start();
          other.join();
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(inside.getFirst()).hasMessageContaining("used inside step 'outer'");
    assertThat(inside.getLast()).hasMessageContaining("expected: the workflow's own thread");
  }

  @Test
  void derivesKeysAndIdsFromTheRun() {
    String runId =
        fixture.run((ctx, in) -> {
          var seen = new ArrayList<String>();
          for (int i = 0; i < 2; i++) {
            seen.add(ctx.step("charge", String.class, () -> ctx.idempotencyKey("charge")));
          }
          seen.add(ctx.step("refund", String.class, () -> ctx.idempotencyKey("charge")));
          seen.add(ctx.idempotencyKey("charge[A]"));
          seen.add(Boolean.toString(ctx.uuid("no").equals(ctx.uuid("no"))));
          seen.add(Boolean.toString(ctx.uuid("no").equals(ctx.uuid("other"))));
          return String.join(" ", seen);
        });

    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo(
            "\"%1$s/charge %1$s/charge#2 %1$s/charge %1$s/charge[A] true false\"".formatted(runId));
  }

  private boolean executionsEnded() {
    return fixture.activeRuns() == 0;
  }

  private String countedText() {
    executions.incrementAndGet();
    return "executed";
  }

  private static String note(List<String> trace, String what) {
    trace.add(what);
    return what;
  }

  private <Q> List<Q> received(Class<Q> type) {
    return fixture.server.calls().received(type);
  }

  private HistoryItem step(String runId, String key) {
    return fixture.server.runs().step(runId, key);
  }

  private void record(String runId, HistoryItem item) {
    fixture.server.runs().record(runId, item);
  }

  private static HistoryItem completed(String key, String json) {
    return HistoryItem.newBuilder()
        .setStepKey(key)
        .setKind(StepKind.STEP_KIND_FUNCTION)
        .setStatus(StepStatus.STEP_STATUS_COMPLETED)
        .setSettled(true)
        .setAttempt(1)
        .setOutput(Payload.newBuilder().setJson(json))
        .build();
  }
}
