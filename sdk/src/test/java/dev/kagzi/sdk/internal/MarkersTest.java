package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MarkersTest {

  private final RunFixture fixture = new RunFixture();

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void recordsTheTimeOfEachCallInCallOrder() {
    Instant before = InstantSource.system().instant();

    String runId = fixture.run((ctx, in) -> ctx.now() + " " + ctx.now());

    List<HistoryItem> steps = fixture.server.runs().steps(runId);
    assertThat(steps).extracting(HistoryItem::getStepKey).containsExactly("now", "now#2");
    assertThat(steps).extracting(HistoryItem::getKind).containsOnly(StepKind.STEP_KIND_MARKER);
    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo("\"%s %s\"".formatted(recorded(steps.get(0)), recorded(steps.get(1))));
    assertThat(recorded(steps.get(0))).isBetween(before.minusSeconds(1), before.plusSeconds(60));
    assertThat(recorded(steps.get(1))).isAfterOrEqualTo(recorded(steps.get(0)));
  }

  private static Instant recorded(HistoryItem step) {
    return Instant.parse(step.getOutput().getJson().replace("\"", ""));
  }

  @Test
  void givesEveryReplayTheRecordedTime() {
    var seen = new ConcurrentLinkedQueue<Instant>();
    String runId = fixture.start();
    fixture.serve((ctx, in) -> {
      seen.add(ctx.now());
      ctx.sleep("a while", Duration.ofHours(1));
      return in;
    });
    fixture.awaitStatus(runId, WorkflowStatus.WORKFLOW_STATUS_SLEEPING);

    fixture.server.runs().wake(runId);
    fixture.awaitFinished(runId);

    assertThat(seen).hasSize(2).containsOnly(seen.element());
    assertThat(fixture.server.calls().received(CompleteStepRequest.class)).hasSize(1);
  }

  @Test
  void believesTheTimeThatWasRecordedBefore() {
    Instant recorded = Instant.parse("2020-02-02T02:02:02.020202Z");
    String runId = fixture.start();
    fixture.server.faults().loseReplyOnce("CompleteStep");
    fixture.server.runs().record(runId, marker("now", recorded));

    fixture.serve((ctx, in) -> ctx.now().toString());
    fixture.awaitFinished(runId);

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"" + recorded + "\"");
  }

  private static HistoryItem marker(String key, Instant moment) {
    return HistoryItem.newBuilder()
        .setStepKey(key)
        .setKind(StepKind.STEP_KIND_MARKER)
        .setStatus(StepStatus.STEP_STATUS_COMPLETED)
        .setAttempt(1)
        .setSettled(true)
        .setOutput(Payload.newBuilder().setJson("\"" + moment + "\""))
        .build();
  }

  @Test
  void isTheSameTimeWhenTheReplyToTheRecordingWasLost() {
    fixture.server.faults().loseReplyOnce("CompleteStep");

    String runId = fixture.run((ctx, in) -> ctx.now().toString());

    assertThat(fixture.view(runId).getOutput().getJson())
        .isEqualTo(fixture.server.runs().step(runId, "now").getOutput().getJson());
  }

  @Test
  void isRefusedInsideAStep() {
    String runId = fixture.run((ctx, in) -> ctx.step("look", String.class, () -> "" + ctx.now()));

    assertThat(fixture.view(runId).getError().getMessage())
        .startsWith("The context was used inside step 'look'");
  }

  @Test
  void divergesWhereAStepWasRecorded() {
    String runId = fixture.start();
    fixture
        .server
        .runs()
        .record(
            runId,
            marker("now", Instant.EPOCH).toBuilder().setKind(StepKind.STEP_KIND_FUNCTION).build());
    fixture.serve((ctx, in) -> ctx.now().toString());
    fixture.awaitStatus(runId, WorkflowStatus.WORKFLOW_STATUS_SLEEPING);

    assertThat(fixture.server.calls().received(ReleaseTaskRequest.class))
        .extracting(request -> request.getDivergence().getExpectedStepKey())
        .containsExactly("now");
  }

  @Test
  void tellsTheWorkflowWhenItCannotBeRecorded() {
    fixture
        .server
        .faults()
        .refuseOnce(
            "CompleteStep", Refusals.refusal(Status.Code.FAILED_PRECONDITION, "TOO_MANY_STEPS"));

    String runId = fixture.run((ctx, in) -> ctx.now().toString());

    assertThat(fixture.view(runId).getError().getType())
        .isEqualTo("dev.kagzi.sdk.RequestRefusedException");
  }
}
