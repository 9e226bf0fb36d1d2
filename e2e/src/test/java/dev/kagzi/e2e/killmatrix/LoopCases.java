package dev.kagzi.e2e.killmatrix;

import static dev.kagzi.e2e.killmatrix.Wire.begin;
import static dev.kagzi.e2e.killmatrix.Wire.closeSaga;
import static dev.kagzi.e2e.killmatrix.Wire.complete;
import static dev.kagzi.e2e.killmatrix.Wire.completeStep;
import static dev.kagzi.e2e.killmatrix.Wire.fail;
import static dev.kagzi.e2e.killmatrix.Wire.startChild;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Timestamp;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

/** What every loop does with runs, workers and servers. */
final class LoopCases {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String END_OF_RUN = "INSERT INTO kagzi.finished_runs (";

  private LoopCases() {}

  static List<LoopCase> all() {
    return List.of(
        LoopCase.of(
            "LeaseSweeper",
            "run_id = ANY(?::uuid[]) AND status = 'RUNNING' AND lease_until",
            LoopCases::expiredLease),
        LoopCase.of(
            "NodeSweeper", "DELETE FROM kagzi.nodes WHERE last_beat_at", LoopCases::deadNode),
        LoopCase.of(
            "WorkerSweeper",
            "WHERE status <> 'OFFLINE' AND last_heartbeat_at <",
            LoopCases::staleWorker),
        LoopCase.of(
            "WorkerSweeper",
            "a claim that came too late",
            "crashes = r.crashes + 1",
            LoopCases::lateClaim),
        LoopCase.of("WorkerPresence", "last_heartbeat_at <= ?", LoopCases::brokenStream),
        LoopCase.of("DeadlineEnforcer", END_OF_RUN, LoopCases::deadline),
        LoopCase.of(
            "DeadlineEnforcer",
            "in a saga",
            "SET stop_requested = a.kind",
            LoopCases::deadlineInSaga),
        LoopCase.of(
            "StepTimeoutEnforcer", "lease_epoch = r.lease_epoch + 1", LoopCases::stepTimeout),
        LoopCase.of(
            "BatchRunner",
            "UPDATE kagzi.batch_items b ... SET status = i.status",
            LoopCases::batch),
        LoopCase.of("ChildCloser", "DELETE FROM kagzi.ended_parents", LoopCases::orphan),
        LoopCase.of("ScheduleFirer", "INSERT INTO kagzi.schedule_firings", LoopCases::ticks),
        LoopCase.of("NodeBeater", "INSERT INTO kagzi.nodes", LoopCases::beat),
        LoopCase.of("WorkerPruner", "WITH gone AS MATERIALIZED", LoopCases::oldWorker));
  }

  private static void eventually(Callable<Boolean> condition) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(condition);
  }

  /** Nobody is to be given up for any reason but the one that a case is about. */
  private static void keepAlive(Stage stage, String worker) {
    stage
        .tables()
        .change(
            "UPDATE kagzi.workers SET last_heartbeat_at = now() + interval '1 hour'"
                + " WHERE worker_id = ?",
            UUID.fromString(worker));
    stage
        .tables()
        .change(
            "UPDATE kagzi.workflow_runs SET lease_until = now() + interval '1 hour'"
                + " WHERE locked_by = ?",
            UUID.fromString(worker));
  }

  private static void setWorker(Stage stage, String worker, String change) {
    stage
        .tables()
        .change(
            "UPDATE kagzi.workers SET " + change + " WHERE worker_id = ?", UUID.fromString(worker));
  }

  private static void assertOneCrash(Stage stage) {
    stage.workOff();
    assertThat(stage.ended("crashes = 1 AND status = 'COMPLETED'")).isEqualTo(1);
  }

  private static Chapter expiredLease(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    return Chapter.after(
        () -> {
          keepAlive(stage, lost);
          stage
              .tables()
              .change(
                  "UPDATE kagzi.workflow_runs SET lease_until = now() - interval '1 hour'"
                      + " WHERE run_id = ?",
                  UUID.fromString(task.getRunId()));
        },
        () -> assertOneCrash(stage));
  }

  private static Chapter deadNode(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    UUID node = UUID.randomUUID();
    return Chapter.after(
        () -> {
          keepAlive(stage, lost);
          setWorker(stage, lost, "node_id = '%s'".formatted(node));
          stage
              .tables()
              .change(
                  "INSERT INTO kagzi.nodes (node_id, hostname, pid, version, embedded, started_at,"
                      + " last_beat_at) VALUES (?, 'gone', 1, '', true, now(),"
                      + " now() - interval '1 hour')",
                  node);
        },
        () -> {
          assertOneCrash(stage);
          assertThat(stage.ended("run_id = '%s'".formatted(task.getRunId()))).isEqualTo(1);
          assertThat(
                  stage.tables().number("SELECT count(*) FROM kagzi.nodes WHERE node_id = ?", node))
              .isZero();
        });
  }

  private static Chapter staleWorker(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    return Chapter.after(
        () -> {
          keepAlive(stage, lost);
          setWorker(stage, lost, "last_heartbeat_at = now() - interval '1 hour'");
        },
        () -> {
          assertOneCrash(stage);
          assertThat(stage.ended("run_id = '%s'".formatted(task.getRunId()))).isEqualTo(1);
        });
  }

  private static Chapter lateClaim(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    return Chapter.after(
        () -> {
          keepAlive(stage, lost);
          setWorker(stage, lost, "status = 'OFFLINE', deregistered_at = now()");
        },
        () -> {
          assertOneCrash(stage);
          assertThat(stage.ended("run_id = '%s'".formatted(task.getRunId()))).isEqualTo(1);
        });
  }

  /** If the server dies that saw the stream end, the lease is what frees the run. */
  private static Chapter brokenStream(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    var call =
        WorkCall.newBuilder().setCorrelationId(1).setCompleteStep(completeStep(task, lost)).build();
    return new Chapter(
        () -> keepAlive(stage, lost),
        victim -> {
          setWorker(stage, lost, "last_heartbeat_at = now() - interval '1 second'");
          victim.workAndBreakOff(lost, call);
        },
        () -> {
          stage
              .tables()
              .change(
                  "UPDATE kagzi.workflow_runs SET lease_until = now() WHERE locked_by = ?",
                  UUID.fromString(lost));
          assertOneCrash(stage);
        });
  }

  private static Chapter deadline(Stage stage) {
    Instant later = Instant.now().plusSeconds(3600);
    var start =
        stage
            .aStart()
            .setDeadlineAt(Timestamp.newBuilder().setSeconds(later.getEpochSecond()))
            .setOnFailureWorkflow(stage.name())
            .build();
    String runId = stage.survivor().workflows().startWorkflow(start).getRunId();
    return Chapter.after(
        () ->
            stage
                .tables()
                .change(
                    "UPDATE kagzi.workflow_runs SET deadline_at = now() - interval '1 second'"
                        + " WHERE run_id = ?",
                    UUID.fromString(runId)),
        () -> {
          eventually(() -> stage.ended("status = 'TIMED_OUT'") == 1);
          stage.workOff();
          assertThat(stage.ended("handler_for_run_id IS NOT NULL")).isEqualTo(1);
        });
  }

  /** Its worker lives, is asked to stop once, undoes what it has done and ends the run. */
  private static Chapter deadlineInSaga(Stage stage) {
    String worker = stage.lostWorker();
    Task task = stage.takenBy(worker);
    var opening = completeStep(task, worker).setSagaMarker(SagaMarker.SAGA_MARKER_OPEN).build();
    var unused = stage.survivor().workers().completeStep(opening);
    UUID runId = UUID.fromString(task.getRunId());
    return Chapter.after(
        () -> {
          keepAlive(stage, worker);
          stage
              .tables()
              .change(
                  "UPDATE kagzi.workflow_runs SET deadline_at = now() - interval '1 second'"
                      + " WHERE run_id = ?",
                  runId);
        },
        () -> {
          String asked =
              "SELECT count(*) FROM kagzi.workflow_runs WHERE run_id = ?"
                  + " AND stop_requested = 'TIMEOUT' AND status = 'RUNNING'";
          eventually(() -> stage.tables().number(asked, runId) == 1);
          var workers = stage.survivor().workers();
          var closed = workers.completeStep(closeSaga(task, worker));
          assertThat(closed.hasStopRequested()).isTrue();
          var ending = fail(task, worker).setStop(StopKind.STOP_KIND_TIMEOUT).build();
          assertThat(workers.failWorkflow(ending).getHandlerRunIdsList()).isEmpty();
          assertThat(stage.ended("status = 'TIMED_OUT' AND lease_epoch = 1")).isEqualTo(1);
        });
  }

  private static Chapter stepTimeout(Stage stage) {
    String lost = stage.lostWorker();
    Task task = stage.takenBy(lost);
    var unused = stage.survivor().workers().beginStep(begin(task, lost).build());
    UUID runId = UUID.fromString(task.getRunId());
    return Chapter.after(
        () -> {
          keepAlive(stage, lost);
          stage
              .tables()
              .change(
                  "UPDATE kagzi.running_steps SET timeout_at = now() - interval '1 minute'"
                      + " WHERE run_id = ?",
                  runId);
        },
        () -> {
          stage.workOff();
          assertThat(stage.ended("lease_epoch = 3 AND crashes = 0")).isEqualTo(1);
          assertThat(
                  stage
                      .tables()
                      .number(
                          "SELECT count(*) FROM kagzi.step_runs WHERE run_id = ?"
                              + " AND status = 'FAILED' AND attempt = 1",
                          runId))
              .isEqualTo(1);
        });
  }

  private static Chapter batch(Stage stage) {
    var request =
        StartBatchRequest.newBuilder()
            .setRequestId(Stage.freshId())
            .setOperation(BatchOperation.BATCH_OPERATION_CANCEL)
            .addRunIds(stage.start())
            .addRunIds(stage.start())
            .build();
    var look = GetBatchRequest.newBuilder().setBatchId(request.getRequestId()).build();
    return new Chapter(
        () -> {},
        victim -> {
          var unused = victim.workflows().startBatch(request);
        },
        () -> {
          eventually(() ->
              stage.survivor().workflows().getBatch(look).getBatch().getStatus()
                  == BatchStatus.BATCH_STATUS_COMPLETED);
          assertThat(stage.ended("status = 'CANCELLED'")).isEqualTo(2);
        });
  }

  private static Chapter orphan(Stage stage) {
    String lost = stage.lostWorker();
    Task parent = stage.takenBy(lost);
    assertThat(
            stage.survivor().workers().startChild(startChild(parent, lost).build()).getChildRunId())
        .isNotEmpty();
    return new Chapter(
        () -> keepAlive(stage, lost),
        victim -> {
          var unused = victim.workers().completeWorkflow(complete(parent, lost).build());
        },
        () -> {
          eventually(() -> stage.ended("status = 'CANCELLED'") == 1);
          eventually(() -> stage.tables().number("SELECT count(*) FROM kagzi.ended_parents") == 0);
          assertThat(stage.ended("status = 'COMPLETED'")).isEqualTo(1);
        });
  }

  /** A tick every second: none is lost with the server, and none comes twice. */
  private static Chapter ticks(Stage stage) {
    var request =
        CreateScheduleRequest.newBuilder()
            .setRequestId(Stage.freshId())
            .setCronExpr("* * * * * *")
            .setRun(
                RunTemplate.newBuilder().setWorkflowType(stage.name()).setTaskQueue(stage.name()))
            .build();
    UUID id = UUID.fromString(request.getRequestId());
    return new Chapter(
        () -> {},
        victim -> {
          var unused = victim.schedules().createSchedule(request);
        },
        () -> {
          String count = "SELECT count(*) FROM kagzi.schedule_firings WHERE schedule_id = ?";
          eventually(() -> stage.tables().number(count, id) >= 3);
          var pause = PauseScheduleRequest.newBuilder().setScheduleId(id.toString()).build();
          var unused = stage.survivor().schedules().pauseSchedule(pause);
          long ticks = stage.tables().number(count, id);
          assertThat(
                  stage
                      .tables()
                      .number(
                          "SELECT extract(epoch FROM max(fire_at) - min(fire_at))::int8 + 1"
                              + " FROM kagzi.schedule_firings WHERE schedule_id = ?",
                          id))
              .isEqualTo(ticks);
          stage.workOff();
          assertThat(stage.ended("schedule_group_id = '%s'".formatted(id))).isEqualTo(ticks);
        });
  }

  private static Chapter beat(Stage stage) {
    String runId = stage.start();
    return Chapter.after(
        () -> {},
        () -> {
          stage.workOff();
          assertThat(stage.ended("run_id = '%s'".formatted(runId))).isEqualTo(1);
          eventually(() -> stage.tables().number("SELECT count(*) FROM kagzi.nodes") == 1);
        });
  }

  private static Chapter oldWorker(Stage stage) {
    String lost = stage.lostWorker();
    UUID id = UUID.fromString(lost);
    return Chapter.after(
        () ->
            setWorker(
                stage, lost, "status = 'OFFLINE', deregistered_at = now() - interval '8 days'"),
        () -> {
          eventually(() ->
              stage.tables().number("SELECT count(*) FROM kagzi.workers WHERE worker_id = ?", id)
                  == 0);
          assertThat(
                  stage
                      .tables()
                      .number("SELECT count(*) FROM kagzi.worker_events WHERE worker_id = ?", id))
              .isZero();
        });
  }
}
