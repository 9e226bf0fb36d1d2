package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.operation.Schedules;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.CreateScheduleResponse;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.DeleteScheduleResponse;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PauseScheduleResponse;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.ResumeScheduleResponse;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.UpdateScheduleResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, changes and removes schedules. Thread-safe. */
final class ScheduleCalls {

  private static final Logger log = LoggerFactory.getLogger(ScheduleCalls.class);
  private static final int MAX_CATCHUP = 10_000;
  private static final String UTC = "UTC";

  private final Schedules schedules;

  ScheduleCalls(Schedules schedules) {
    this.schedules = schedules;
  }

  CreateScheduleResponse create(CreateScheduleRequest request) {
    var check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .optionalId("request_id", request.getRequestId())
            .optionalName("name", request.getName())
            .cron(request.getCronExpr())
            .timezone(zoneOf(request.getTimezone()))
            .optionalKnown("overlap_policy", request.getOverlapPolicy())
            .remark("description", request.getDescription());
    checkCatchup(check, request.getMaxCatchup());
    check(check, request.getRun());
    check.done();
    String requestId = request.getRequestId();
    Schedules.Created created =
        schedules.create(
            ScheduleMapper.definition(request, zoneOf(request.getTimezone())),
            requestId.isEmpty() ? null : RunId.parse(requestId),
            request.getPaused());
    return CreateScheduleResponse.newBuilder()
        .setSchedule(ScheduleMapper.toWire(created.schedule()))
        .setAlreadyExists(created.alreadyExists())
        .build();
  }

  static String zoneOf(String given) {
    return given.isEmpty() ? UTC : given;
  }

  private static void checkCatchup(Validation check, int value) {
    check.require(
        value >= 0 && value <= MAX_CATCHUP,
        "max_catchup",
        "is %d (expected: 0 to %d)".formatted(value, MAX_CATCHUP));
  }

  private static void check(Validation check, RunTemplate run) {
    check
        .name("run.workflow_type", run.getWorkflowType())
        .optionalName("run.task_queue", run.getTaskQueue())
        .optionalName("run.version", run.getVersion())
        .payload("run.input", run.getInput())
        .labels("run.labels", run.getLabelsMap())
        .optionalName("run.on_failure_workflow", run.getOnFailureWorkflow())
        .optionalName("run.on_failure_task_queue", run.getOnFailureTaskQueue())
        .retryPolicy("run.retry_policy", run.getRetryPolicy());
    StartMapper.checkTimeouts(check, "run.timeouts", run.getTimeouts());
  }

  UpdateScheduleResponse update(UpdateScheduleRequest request) {
    var check = check(request.getNamespace(), request.getScheduleId());
    check
        .optionalName("name", request.getName())
        .optionalKnown("overlap_policy", request.getOverlapPolicy())
        .remark("description", request.getDescription());
    if (request.hasCronExpr()) {
      check.cron(request.getCronExpr());
    }
    if (request.hasTimezone()) {
      check.timezone(zoneOf(request.getTimezone()));
    }
    checkCatchup(check, request.getMaxCatchup());
    if (request.hasRun()) {
      check(check, request.getRun());
    }
    check.done();
    Schedule changed =
        schedules.update(
            Requests.namespace(request.getNamespace()),
            request.getScheduleId(),
            ScheduleMapper.change(request));
    return UpdateScheduleResponse.newBuilder().setSchedule(ScheduleMapper.toWire(changed)).build();
  }

  static Validation check(String namespace, String scheduleId) {
    return new Validation().optionalName("namespace", namespace).name("schedule_id", scheduleId);
  }

  DeleteScheduleResponse delete(DeleteScheduleRequest request) {
    check(request.getNamespace(), request.getScheduleId())
        .remark("reason", request.getReason())
        .done();
    boolean deleted =
        schedules.delete(Requests.namespace(request.getNamespace()), request.getScheduleId());
    log.info("schedule {} was deleted ({})", request.getScheduleId(), request.getReason());
    return DeleteScheduleResponse.newBuilder().setDeleted(deleted).build();
  }

  PauseScheduleResponse pause(PauseScheduleRequest request) {
    check(request.getNamespace(), request.getScheduleId())
        .remark("reason", request.getReason())
        .done();
    Schedule paused =
        schedules.pause(
            Requests.namespace(request.getNamespace()),
            request.getScheduleId(),
            request.getReason());
    return PauseScheduleResponse.newBuilder().setSchedule(ScheduleMapper.toWire(paused)).build();
  }

  ResumeScheduleResponse resume(ResumeScheduleRequest request) {
    check(request.getNamespace(), request.getScheduleId())
        .remark("reason", request.getReason())
        .done();
    Schedule resumed =
        schedules.resume(Requests.namespace(request.getNamespace()), request.getScheduleId());
    log.info("schedule {} was resumed ({})", request.getScheduleId(), request.getReason());
    return ResumeScheduleResponse.newBuilder().setSchedule(ScheduleMapper.toWire(resumed)).build();
  }
}
