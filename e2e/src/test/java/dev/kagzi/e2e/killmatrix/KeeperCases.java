package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.SetDefaultVersionRequest;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.UpdateNamespaceRequest;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.WorkerStatus;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;
import java.util.UUID;

/** Schedules, namespaces, and what operators do. */
final class KeeperCases {

  private static final String CHANGE = "UPDATE kagzi.workflow_runs ... schedule_name =";
  private static final String TICK = "INSERT INTO kagzi.schedule_firings";
  private static final String SWITCH = "UPDATE kagzi.namespaces ... SET enabled";
  private static final int HOUR = 3600;

  /** The hours of 1 January 2026. */
  private static final long LONG_AGO = 1_767_225_600L;

  private KeeperCases() {}

  static List<CallCase> all() {
    return List.of(
        CallCase.of(
            "CreateSchedule",
            "INSERT INTO kagzi.workflow_runs ( ... schedule_name",
            KeeperCases::create),
        CallCase.of("UpdateSchedule", CHANGE, KeeperCases::update),
        CallCase.of(
            "DeleteSchedule", "DELETE FROM kagzi.workflow_runs ... 'PAUSED'", KeeperCases::delete),
        CallCase.of("PauseSchedule", CHANGE, KeeperCases::pause),
        CallCase.of("ResumeSchedule", CHANGE, KeeperCases::resume),
        CallCase.of("TriggerSchedule", TICK, KeeperCases::trigger),
        CallCase.of("BackfillSchedule", TICK, KeeperCases::backfill),
        CallCase.of("DrainWorker", "SET status = 'DRAINING'", KeeperCases::drain),
        CallCase.of("DrainWorker", "by force", WorkerCases.LEAVE, KeeperCases::drainByForce),
        CallCase.of(
            "SetDefaultVersion",
            "UPDATE kagzi.workflow_types ... SET default_version",
            KeeperCases::setDefaultVersion),
        CallCase.of(
            "CreateNamespace", "INSERT INTO kagzi.namespaces (", KeeperCases::createNamespace),
        CallCase.of(
            "UpdateNamespace",
            "UPDATE kagzi.namespaces ... SET description",
            KeeperCases::updateNamespace),
        CallCase.of("EnableNamespace", SWITCH, KeeperCases::enable),
        CallCase.of("DisableNamespace", SWITCH, KeeperCases::disable));
  }

  private static CreateScheduleRequest.Builder aSchedule(Stage stage) {
    return CreateScheduleRequest.newBuilder()
        .setRequestId(Stage.freshId())
        .setCronExpr("0 * * * *")
        .setPaused(true)
        .setRun(RunTemplate.newBuilder().setWorkflowType(stage.name()).setTaskQueue(stage.name()));
  }

  private static String schedule(Stage stage) {
    var request = aSchedule(stage).build();
    return stage.survivor().schedules().createSchedule(request).getSchedule().getScheduleId();
  }

  private static Act<?> create(Stage stage) {
    var request = aSchedule(stage).build();
    return new Act<>(
        peer -> peer.schedules().createSchedule(request),
        (answer, done) -> {
          assertThat(answer.getSchedule().getScheduleId()).isEqualTo(request.getRequestId());
          assertThat(answer.getSchedule().getCronExpr()).isEqualTo(request.getCronExpr());
        });
  }

  private static Act<?> update(Stage stage) {
    var request =
        UpdateScheduleRequest.newBuilder()
            .setScheduleId(schedule(stage))
            .setCronExpr("30 * * * *")
            .build();
    return new Act<>(
        peer -> peer.schedules().updateSchedule(request),
        (answer, done) ->
            assertThat(answer.getSchedule().getCronExpr()).isEqualTo(request.getCronExpr()));
  }

  private static Act<?> delete(Stage stage) {
    var request = DeleteScheduleRequest.newBuilder().setScheduleId(schedule(stage)).build();
    return new Act<>(
        peer -> peer.schedules().deleteSchedule(request),
        (answer, done) -> assertThat(answer.getDeleted()).isEqualTo(!done));
  }

  private static Act<?> pause(Stage stage) {
    var created = aSchedule(stage).setPaused(false).build();
    var unused = stage.survivor().schedules().createSchedule(created);
    var request = PauseScheduleRequest.newBuilder().setScheduleId(created.getRequestId()).build();
    return new Act<>(
        peer -> peer.schedules().pauseSchedule(request),
        (answer, done) ->
            assertThat(answer.getSchedule().getStatus())
                .isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PAUSED));
  }

  private static Act<?> resume(Stage stage) {
    var request = ResumeScheduleRequest.newBuilder().setScheduleId(schedule(stage)).build();
    return new Act<>(
        peer -> peer.schedules().resumeSchedule(request),
        (answer, done) ->
            assertThat(answer.getSchedule().getStatus())
                .isEqualTo(WorkflowStatus.WORKFLOW_STATUS_SCHEDULED));
  }

  private static Act<?> trigger(Stage stage) {
    var request =
        TriggerScheduleRequest.newBuilder()
            .setScheduleId(schedule(stage))
            .setRequestId(Stage.freshId())
            .build();
    return new Act<>(
        peer -> peer.schedules().triggerSchedule(request),
        (answer, done) -> {
          assertThat(answer.getFiring().getRunId()).isEqualTo(request.getRequestId());
          stage.workOff();
          assertThat(stage.ended("true")).isEqualTo(1);
          assertThat(ticks(stage, request.getScheduleId())).isEqualTo(1);
        });
  }

  private static long ticks(Stage stage, String scheduleId) {
    return stage
        .tables()
        .number(
            "SELECT count(*) FROM kagzi.schedule_firings WHERE schedule_id = ?",
            UUID.fromString(scheduleId));
  }

  private static Act<?> backfill(Stage stage) {
    var request =
        BackfillScheduleRequest.newBuilder()
            .setScheduleId(schedule(stage))
            .setFrom(Timestamp.newBuilder().setSeconds(LONG_AGO))
            .setTo(Timestamp.newBuilder().setSeconds(LONG_AGO + 3 * HOUR))
            .build();
    return new Act<>(
        peer -> peer.schedules().backfillSchedule(request),
        (answer, done) -> {
          assertThat(answer.getFired()).isEqualTo(done ? 0 : 3);
          assertThat(answer.getAlreadyFired()).isEqualTo(done ? 3 : 0);
          stage.workOff();
          assertThat(stage.ended("true")).isEqualTo(3);
          assertThat(ticks(stage, request.getScheduleId())).isEqualTo(3);
        });
  }

  private static Act<?> drain(Stage stage) {
    String runId = stage.take().getRunId();
    var request = DrainWorkerRequest.newBuilder().setWorkerId(stage.worker()).build();
    return new Act<>(
        peer -> peer.admin().drainWorker(request),
        (answer, done) -> {
          assertThat(runId).isNotEmpty();
          assertThat(answer.getWorker().getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_DRAINING);
        });
  }

  private static Act<?> drainByForce(Stage stage) {
    String runId = stage.take().getRunId();
    var request =
        DrainWorkerRequest.newBuilder().setWorkerId(stage.worker()).setForce(true).build();
    return new Act<>(
        peer -> peer.admin().drainWorker(request),
        (answer, done) -> {
          assertThat(answer.getWorker().getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_OFFLINE);
          stage.workOff();
          assertThat(stage.ended("run_id = '%s' AND lease_epoch = 2".formatted(runId)))
              .isEqualTo(1);
        });
  }

  private static Act<?> setDefaultVersion(Stage stage) {
    var request =
        SetDefaultVersionRequest.newBuilder().setWorkflowType(stage.name()).setVersion("2").build();
    return new Act<>(
        peer -> peer.admin().setDefaultVersion(request),
        (answer, done) ->
            assertThat(
                    stage
                        .tables()
                        .number(
                            "SELECT count(*) FROM kagzi.workflow_types"
                                + " WHERE workflow_type = ? AND default_version = '2'",
                            stage.name()))
                .isEqualTo(1));
  }

  private static Act<?> createNamespace(Stage stage) {
    var request =
        CreateNamespaceRequest.newBuilder()
            .setNamespace(stage.name())
            .setDescription("ours")
            .build();
    return new Act<>(
        peer -> peer.namespaces().createNamespace(request),
        (answer, done) -> {
          assertThat(answer.getNamespace().getDescription()).isEqualTo("ours");
          assertThat(answer.getAlreadyExists()).isEqualTo(done);
        });
  }

  private static String namespace(Stage stage) {
    var request = CreateNamespaceRequest.newBuilder().setNamespace(stage.name()).build();
    return stage.survivor().namespaces().createNamespace(request).getNamespace().getNamespace();
  }

  private static Act<?> updateNamespace(Stage stage) {
    var request =
        UpdateNamespaceRequest.newBuilder()
            .setNamespace(namespace(stage))
            .setDescription("theirs")
            .build();
    return new Act<>(
        peer -> peer.namespaces().updateNamespace(request),
        (answer, done) -> assertThat(answer.getNamespace().getDescription()).isEqualTo("theirs"));
  }

  private static Act<?> enable(Stage stage) {
    String name = namespace(stage);
    var disabling = DisableNamespaceRequest.newBuilder().setNamespace(name).build();
    var unused = stage.survivor().namespaces().disableNamespace(disabling);
    var request = EnableNamespaceRequest.newBuilder().setNamespace(name).build();
    return new Act<>(
        peer -> peer.namespaces().enableNamespace(request),
        (answer, done) -> assertThat(answer.getNamespace().getEnabled()).isTrue());
  }

  private static Act<?> disable(Stage stage) {
    var request = DisableNamespaceRequest.newBuilder().setNamespace(namespace(stage)).build();
    return new Act<>(
        peer -> peer.namespaces().disableNamespace(request),
        (answer, done) -> assertThat(answer.getNamespace().getEnabled()).isFalse());
  }
}
