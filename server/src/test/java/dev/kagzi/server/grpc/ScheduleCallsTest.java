package dev.kagzi.server.grpc;

import static dev.kagzi.server.grpc.GoodSchedules.aSchedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Timestamp;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ScheduleCallsTest {

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void firesByItselfAndShowsWhatItDid() {
    String id =
        server
            .schedules()
            .createSchedule(aSchedule().setName("busy").setCronExpr("* * * * * *").build())
            .getSchedule()
            .getScheduleId();
    var ask = ListScheduleRunsRequest.newBuilder().setScheduleId("busy").setIncludeTotalCount(true);

    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> server.schedules().listScheduleRuns(ask.build()).getFiringsCount() >= 3);
    Schedule paused =
        server
            .schedules()
            .pauseSchedule(
                PauseScheduleRequest.newBuilder().setScheduleId(id).setReason("enough").build())
            .getSchedule();

    var runs = server.schedules().listScheduleRuns(ask.setPageSize(2).build());
    assertThat(runs.getFiringsList())
        .hasSize(2)
        .allSatisfy(firing -> {
          assertThat(firing.getOutcome()).isEqualTo(FiringOutcome.FIRING_OUTCOME_FIRED);
          assertThat(firing.getRun().getScheduleId()).isEqualTo(id);
          assertThat(firing.getRun().getFireAt()).isEqualTo(firing.getFireAt());
        });
    assertThat(runs.getPage().getTotalCount()).isGreaterThanOrEqualTo(3);
    assertThat(runs.getPage().getHasMore()).isTrue();
    assertThat(paused.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PAUSED);
    assertThat(paused.getPauseReason()).isEqualTo("enough");
    assertThat(paused.hasNextFireAt()).isFalse();
  }

  @Test
  void saysWhatIsWrongWithAnExpressionAndTheRestAtOnce() {
    var refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                server
                    .schedules()
                    .createSchedule(
                        aSchedule().setCronExpr("61 * * * *").setMaxCatchup(-1).build()));

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(refused.getMessage()).contains("cron_expr", "minute", "max_catchup");
    assertThat(Wire.verdict(refused)).isEqualTo("INVALID_ARGUMENT BAD_CRON");
  }

  @Test
  void changesWhatIsGivenAndTriggers() {
    var created =
        server.schedules().createSchedule(aSchedule().setName("yearly").build()).getSchedule();
    var changed =
        server
            .schedules()
            .updateSchedule(
                UpdateScheduleRequest.newBuilder()
                    .setScheduleId("yearly")
                    .setTimezone("Europe/Berlin")
                    .build())
            .getSchedule();
    var firing =
        server
            .schedules()
            .triggerSchedule(TriggerScheduleRequest.newBuilder().setScheduleId("yearly").build())
            .getFiring();
    var read =
        server
            .schedules()
            .getSchedule(GetScheduleRequest.newBuilder().setScheduleId("yearly").build())
            .getSchedule();

    assertThat(changed.getCronExpr()).isEqualTo(created.getCronExpr());
    assertThat(changed.getTimezone()).isEqualTo("Europe/Berlin");
    assertThat(firing.getManual()).isTrue();
    assertThat(read.getLastRunId()).isEqualTo(firing.getRunId());
    assertThat(read.getCronInWords()).isNotEmpty();
  }

  @Test
  void previewsAnExpression() {
    var preview =
        server
            .schedules()
            .previewSchedule(
                PreviewScheduleRequest.newBuilder().setCronExpr("0 9 * * MON").setCount(3).build());

    assertThat(preview.getFireAtList()).hasSize(3);
    assertThat(preview.getCronInWords()).contains("09:00");
  }

  @Test
  void whatIsRefusedSaysWhyAndChangesNothing() {
    Schedule before =
        server.schedules().createSchedule(aSchedule().setName("steady").build()).getSchedule();
    var schedules = server.schedules();
    var update = UpdateScheduleRequest.newBuilder().setScheduleId("steady");

    refused(
        "INVALID_ARGUMENT BAD_CRON",
        "field 2 (hour) '25' cannot be read (expected: 0-23",
        () -> schedules.updateSchedule(update.clone().setCronExpr("0 25 * * *").build()));
    refused(
        "INVALID_ARGUMENT BAD_CRON",
        "nearest: Europe/Berlin",
        () -> schedules.updateSchedule(update.clone().setTimezone("Europe/Berlim").build()));
    refused(
        "INVALID_ARGUMENT INVALID_ARGUMENT",
        "max_catchup is 10001 (expected: 0 to 10000)",
        () -> schedules.updateSchedule(update.clone().setMaxCatchup(10_001).build()));
    refused(
        "INVALID_ARGUMENT INVALID_ARGUMENT",
        "to lies before from",
        () ->
            schedules.backfillSchedule(
                BackfillScheduleRequest.newBuilder()
                    .setScheduleId("steady")
                    .setFrom(Timestamp.newBuilder().setSeconds(60))
                    .setTo(Timestamp.newBuilder().setSeconds(59))
                    .build()));
    refused(
        "INVALID_ARGUMENT INVALID_ARGUMENT",
        "to: is in the future (expected: now or before)",
        () ->
            schedules.backfillSchedule(
                BackfillScheduleRequest.newBuilder()
                    .setScheduleId("steady")
                    .setFrom(Timestamp.newBuilder().setSeconds(60))
                    .setTo(Timestamp.newBuilder().setSeconds(32_503_680_000L))
                    .build()));
    refused(
        "ALREADY_EXISTS SCHEDULE_EXISTS",
        "another schedule is called 'steady'",
        () ->
            schedules.createSchedule(
                aSchedule().setName("steady").setCronExpr("0 0 2 1 *").build()));

    assertThat(
            schedules
                .getSchedule(GetScheduleRequest.newBuilder().setScheduleId("steady").build())
                .getSchedule())
        .isEqualTo(before);
  }

  @Test
  void pagesOutOfRangeAndSchedulesThatDoNotExistAreRefused() {
    var schedules = server.schedules();
    for (int size : new int[] {-1, 1001}) {
      refused(
          "INVALID_ARGUMENT INVALID_ARGUMENT",
          "page_size is %d (expected: 1 to 1000)".formatted(size),
          () ->
              schedules.listSchedules(ListSchedulesRequest.newBuilder().setPageSize(size).build()));
    }
    refused(
        "INVALID_ARGUMENT INVALID_ARGUMENT",
        "count is 1001 (expected: 1 to 1000)",
        () ->
            schedules.previewSchedule(
                PreviewScheduleRequest.newBuilder()
                    .setCronExpr("* * * * *")
                    .setCount(1001)
                    .build()));
    String why = "schedule 'nowhere' does not exist in this namespace";
    refused(
        "NOT_FOUND SCHEDULE_NOT_FOUND",
        why,
        () ->
            schedules.getSchedule(
                GetScheduleRequest.newBuilder().setScheduleId("nowhere").build()));
    refused(
        "NOT_FOUND SCHEDULE_NOT_FOUND",
        why,
        () ->
            schedules.pauseSchedule(
                PauseScheduleRequest.newBuilder().setScheduleId("nowhere").build()));
    refused(
        "NOT_FOUND SCHEDULE_NOT_FOUND",
        why,
        () ->
            schedules.triggerSchedule(
                TriggerScheduleRequest.newBuilder().setScheduleId("nowhere").build()));
    // As with runs, deleting what is gone is safe to repeat: it says that there was nothing.
    assertThat(
            schedules
                .deleteSchedule(DeleteScheduleRequest.newBuilder().setScheduleId("nowhere").build())
                .getDeleted())
        .isFalse();
  }

  private static void refused(String verdict, String why, ThrowingCallable call) {
    var refusal = catchThrowableOfType(StatusRuntimeException.class, call);
    assertThat(refusal).hasMessageContaining(why);
    assertThat(Wire.verdict(refusal)).isEqualTo(verdict);
  }
}
