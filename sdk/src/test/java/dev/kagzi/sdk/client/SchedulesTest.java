package dev.kagzi.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.ScheduleFiring;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.SkipReason;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchedulesTest {

  private static final WorkflowType<String, String> REPORT =
      WorkflowType.of("report", String.class, String.class);

  private final FakeServer server = FakeServer.inProcess();
  private final KagziClient client = KagziClient.connect(server.address());
  private final Schedules schedules = client.schedules();

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void sendsWhatTheDescriptionSays() {
    described().overlap(Overlap.SKIP).maxCatchup(0).description("daily").paused().send();

    CreateScheduleRequest request = received(CreateScheduleRequest.class);
    assertThat(request.getCronExpr()).isEqualTo("0 9 * * *");
    assertThat(request.getTimezone()).isEqualTo("Europe/Berlin");
    assertThat(request.getOverlapPolicy()).isEqualTo(OverlapPolicy.OVERLAP_POLICY_SKIP);
    assertThat(request.hasMaxCatchup()).isTrue();
    assertThat(request.getDescription()).isEqualTo("daily");
    assertThat(request.getPaused()).isTrue();
    RunTemplate run = request.getRun();
    assertThat(run.getWorkflowType()).isEqualTo("report");
    assertThat(run.getTaskQueue()).isEqualTo("reports");
    assertThat(run.getVersion()).isEqualTo("2");
    assertThat(run.getInput().getJson()).isEqualTo("\"sales\"");
    assertThat(run.getLabelsMap()).isEqualTo(Map.of("team", "sales"));
    assertThat(run.getRetryPolicy().getMaximumAttempts()).isEqualTo(5);
    assertThat(run.getTimeouts().getExecutionTimeout().getSeconds()).isEqualTo(3600);
    assertThat(run.getTimeouts().getStartToCloseTimeout().getSeconds()).isEqualTo(60);
    assertThat(run.getTimeouts().getHeartbeatTimeout().getSeconds()).isEqualTo(20);
    assertThat(run.getOnFailureWorkflow()).isEqualTo("clean-up");
    assertThat(run.getOnFailureTaskQueue()).isEqualTo("elsewhere");
  }

  private ScheduleBuilder<String> described() {
    return schedules
        .create(REPORT, "0 9 * * *")
        .name("daily")
        .zone("Europe/Berlin")
        .input("sales")
        .queue("reports")
        .version("2")
        .label("team", "sales")
        .retry(Retry.exponential(5, "1s").notOn(IllegalStateException.class))
        .timeout("1h")
        .stepTimeout("1m")
        .lease("20s")
        .onFailure("clean-up", "elsewhere");
  }

  @Test
  void saysNothingThatWasNotAskedFor() {
    schedules.create(REPORT, "0 9 * * *").send();

    CreateScheduleRequest request = received(CreateScheduleRequest.class);
    assertThat(request.hasMaxCatchup()).isFalse();
    assertThat(request.getRun())
        .isEqualTo(RunTemplate.newBuilder().setWorkflowType("report").build());
  }

  @Test
  void changesOnlyWhatIsMentioned() {
    described().send();
    RunTemplate before = received(CreateScheduleRequest.class).getRun();

    schedules
        .update("daily")
        .retry(Retry.exponential(2, "1s"))
        .stepTimeout("2m")
        .label("tier", "gold")
        .onFailure("tidy")
        .send();

    UpdateScheduleRequest request = received(UpdateScheduleRequest.class);
    assertThat(request.hasName()).isFalse();
    assertThat(request.hasCronExpr()).isFalse();
    assertThat(request.hasTimezone()).isFalse();
    assertThat(request.hasMaxCatchup()).isFalse();
    assertThat(request.hasOverlapPolicy()).isFalse();
    assertThat(request.hasDescription()).isFalse();
    RunTemplate run = request.getRun();
    assertThat(run.getInput()).isEqualTo(before.getInput());
    assertThat(run.getTaskQueue()).isEqualTo("reports");
    assertThat(run.getVersion()).isEqualTo("2");
    assertThat(run.getTimeouts().getExecutionTimeout().getSeconds()).isEqualTo(3600);
    assertThat(run.getTimeouts().getStartToCloseTimeout().getSeconds()).isEqualTo(120);
    assertThat(run.getLabelsMap()).isEqualTo(Map.of("team", "sales", "tier", "gold"));
    assertThat(run.getRetryPolicy().getMaximumAttempts()).isEqualTo(2);
    assertThat(run.getRetryPolicy().getNonRetryableErrorsList()).isEmpty();
    assertThat(run.getOnFailureWorkflow()).isEqualTo("tidy");
    assertThat(run.getOnFailureTaskQueue()).isEmpty();
  }

  @Test
  void leavesTheRunsAloneWhenOnlyTheTimesChange() {
    described().send();

    schedules
        .update("daily")
        .cron("0 10 * * *")
        .zone("UTC")
        .overlap(Overlap.CANCEL_OTHER)
        .maxCatchup(0)
        .description("")
        .send();

    UpdateScheduleRequest request = received(UpdateScheduleRequest.class);
    assertThat(request.hasRun()).isFalse();
    assertThat(request.getCronExpr()).isEqualTo("0 10 * * *");
    assertThat(request.getTimezone()).isEqualTo("UTC");
    assertThat(request.getOverlapPolicy()).isEqualTo(OverlapPolicy.OVERLAP_POLICY_CANCEL_OTHER);
    assertThat(request.hasMaxCatchup()).isTrue();
    assertThat(request.hasDescription()).isTrue();
  }

  @Test
  void forgetsWhatTheRunsWereLikeWhenAsked() {
    described().send();

    schedules.update("daily").queue("new").resetRun().send();
    schedules.update("daily", WorkflowType.of("other", Integer.class, Void.class)).input(7).send();

    var changes = server.calls().received(UpdateScheduleRequest.class);
    assertThat(changes.getFirst().getRun())
        .isEqualTo(RunTemplate.newBuilder().setWorkflowType("report").setTaskQueue("new").build());
    assertThat(changes.getLast().getRun().getWorkflowType()).isEqualTo("other");
    assertThat(changes.getLast().getRun().getInput().getJson()).isEqualTo("7");
    assertThat(changes.getLast().getRun().getTaskQueue()).isEqualTo("new");
  }

  @Test
  void findsTheScheduleAgainWhenTheReplyToItsRenamingIsLost() {
    described().send();
    server.faults().loseReplyOnce("UpdateSchedule");

    assertThat(schedules.update("daily").name("nightly").send().name()).isEqualTo("nightly");
    assertThat(server.calls().received(UpdateScheduleRequest.class)).hasSize(2);
  }

  @Test
  void refusesWhatMakesNoSenseBeforeItIsSent() {
    assertThatThrownBy(() -> described().stepTimeout("0s"))
        .hasMessage("stepTimeout: PT0S (expected: > 0)");
    assertThatThrownBy(() -> schedules.update("daily").timeout("-1s"))
        .hasMessage("timeout: PT-1S (expected: > 0)");
    assertThatThrownBy(() -> described().onFailure("")).hasMessage("onFailure is empty");
    assertThatThrownBy(() -> schedules.history("daily", ScheduleFiring.Outcome.UNKNOWN))
        .hasMessageContaining("expected: FIRED or SKIPPED");
    assertThatThrownBy(() -> schedules.update("nowhere").cron("0 9 * * *").send())
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            refused -> assertThat(refused.reason()).isEqualTo("SCHEDULE_NOT_FOUND"));
  }

  @Test
  void showsWhatBecameOfTheTicks() {
    server
        .schedules()
        .fired(
            firing(30, FiringOutcome.FIRING_OUTCOME_FIRED)
                .setRunId("run-1")
                .setRun(WorkflowRun.newBuilder().setStatus(WorkflowStatus.WORKFLOW_STATUS_RUNNING))
                .setManual(true)
                .build());
    server
        .schedules()
        .fired(
            firing(20, FiringOutcome.FIRING_OUTCOME_SKIPPED)
                .setSkipReason(SkipReason.SKIP_REASON_OVERLAP)
                .build());
    server
        .schedules()
        .fired(
            dev.kagzi.v1.ScheduleFiring.newBuilder()
                .setOutcomeValue(77)
                .setSkipReasonValue(77)
                .build());

    var firings = schedules.history("daily", ScheduleFiring.Outcome.SKIPPED).all();

    assertThat(received(ListScheduleRunsRequest.class).getOutcome())
        .isEqualTo(FiringOutcome.FIRING_OUTCOME_SKIPPED);
    assertThat(firings.get(0))
        .isEqualTo(
            new ScheduleFiring(
                Instant.ofEpochSecond(30),
                ScheduleFiring.Outcome.FIRED,
                Optional.empty(),
                Instant.ofEpochSecond(31),
                Optional.of("run-1"),
                Optional.of(RunStatus.RUNNING),
                true));
    assertThat(firings.get(1).outcome()).isEqualTo(ScheduleFiring.Outcome.SKIPPED);
    assertThat(firings.get(1).skipReason()).contains(ScheduleFiring.SkipReason.OVERLAP);
    assertThat(firings.get(1).runId()).isEmpty();
    assertThat(firings.get(2).outcome()).isEqualTo(ScheduleFiring.Outcome.UNKNOWN);
    assertThat(firings.get(2).skipReason()).contains(ScheduleFiring.SkipReason.UNKNOWN);
  }

  private static dev.kagzi.v1.ScheduleFiring.Builder firing(long second, FiringOutcome outcome) {
    return dev.kagzi.v1.ScheduleFiring.newBuilder()
        .setFireAt(Timestamp.newBuilder().setSeconds(second))
        .setFiredAt(Timestamp.newBuilder().setSeconds(second + 1))
        .setOutcome(outcome);
  }

  private <Q> Q received(Class<Q> type) {
    return server.calls().received(type).getFirst();
  }
}
