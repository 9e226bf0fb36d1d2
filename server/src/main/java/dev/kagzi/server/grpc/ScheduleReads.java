package dev.kagzi.server.grpc;

import dev.kagzi.engine.cron.CronTimes;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleFilter;
import dev.kagzi.engine.operation.Batches;
import dev.kagzi.engine.operation.CronReader;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.ScheduleLists;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.GetScheduleResponse;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListScheduleRunsResponse;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.PreviewScheduleResponse;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shows schedules, their ticks and when they fire. Thread-safe. */
final class ScheduleReads {

  private static final int DEFAULT_PAGE_SIZE = 50;
  private static final int DEFAULT_PREVIEW = 5;
  private static final int MAX_PREVIEW = 1000;

  private final ScheduleLists lists;
  private final InstantSource clock;

  ScheduleReads(ScheduleLists lists, InstantSource clock) {
    this.lists = lists;
    this.clock = clock;
  }

  GetScheduleResponse get(GetScheduleRequest request) {
    ScheduleCalls.check(request.getNamespace(), request.getScheduleId()).done();
    Schedule schedule =
        lists.get(Requests.namespace(request.getNamespace()), request.getScheduleId());
    return GetScheduleResponse.newBuilder().setSchedule(ScheduleMapper.toWire(schedule)).build();
  }

  ListSchedulesResponse list(ListSchedulesRequest request) {
    WorkflowStatus status = request.getStatus();
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .optionalName("workflow_type", request.getWorkflowType())
            .optionalName("task_queue", request.getTaskQueue())
            .require(statuses(status).isPresent(), "status", "is neither SCHEDULED nor PAUSED");
    checkPageSize(check, request.getPageSize());
    check.done();
    var filter =
        new ScheduleFilter(
            Requests.namespace(request.getNamespace()),
            statuses(status).orElseThrow(),
            orNull(request.getWorkflowType()),
            orNull(request.getTaskQueue()));
    Batches.Listed<Schedule> listed =
        lists.list(filter, pageSize(request.getPageSize()), request.getPageToken());
    var response = ListSchedulesResponse.newBuilder();
    listed.items().forEach(schedule -> response.addSchedules(ScheduleMapper.toRow(schedule)));
    return response
        .setPage(page(listed, request.getIncludeTotalCount() ? lists.count(filter) : null))
        .build();
  }

  private static Optional<Set<RunStatus>> statuses(WorkflowStatus status) {
    return switch (status) {
      case WORKFLOW_STATUS_UNSPECIFIED ->
          Optional.of(Set.of(RunStatus.SCHEDULED, RunStatus.PAUSED));
      case WORKFLOW_STATUS_SCHEDULED -> Optional.of(Set.of(RunStatus.SCHEDULED));
      case WORKFLOW_STATUS_PAUSED -> Optional.of(Set.of(RunStatus.PAUSED));
      default -> Optional.empty();
    };
  }

  ListScheduleRunsResponse runs(ListScheduleRunsRequest request) {
    Validation check =
        ScheduleCalls.check(request.getNamespace(), request.getScheduleId())
            .optionalKnown("outcome", request.getOutcome());
    checkPageSize(check, request.getPageSize());
    check.done();
    Schedule schedule =
        lists.get(Requests.namespace(request.getNamespace()), request.getScheduleId());
    Boolean fired = fired(request.getOutcome());
    Batches.Listed<Firing> listed =
        lists.firings(schedule, fired, pageSize(request.getPageSize()), request.getPageToken());
    Map<RunId, Run> runs = lists.runsOf(listed.items());
    var response = ListScheduleRunsResponse.newBuilder();
    for (Firing firing : listed.items()) {
      RunId runId = firing.runId();
      response.addFirings(ScheduleMapper.toWire(firing, runId == null ? null : runs.get(runId)));
    }
    RunLists.Count count =
        request.getIncludeTotalCount() ? lists.countFirings(schedule, fired) : null;
    return response.setPage(page(listed, count)).build();
  }

  private static @Nullable Boolean fired(FiringOutcome outcome) {
    return outcome == FiringOutcome.FIRING_OUTCOME_UNSPECIFIED
        ? null
        : Boolean.valueOf(outcome == FiringOutcome.FIRING_OUTCOME_FIRED);
  }

  PreviewScheduleResponse preview(PreviewScheduleRequest request) {
    int count = request.getCount();
    boolean ofSchedule = !request.getScheduleId().isEmpty();
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .optionalName("schedule_id", request.getScheduleId())
            .moment("from", request.getFrom())
            .require(
                count >= 0 && count <= MAX_PREVIEW,
                "count",
                "is %d (expected: 1 to %d)".formatted(count, MAX_PREVIEW));
    String zone = ScheduleCalls.zoneOf(request.getTimezone());
    if (!ofSchedule || !request.getCronExpr().isEmpty()) {
      check.cron(request.getCronExpr());
    }
    check.timezone(zone).done();
    CronTimes times = ofSchedule ? timesOf(request) : CronReader.read(request.getCronExpr(), zone);
    Instant from = request.hasFrom() ? TimeMapper.toInstant(request.getFrom()) : clock.instant();
    var response = PreviewScheduleResponse.newBuilder().setCronInWords(times.inWords());
    times
        .between(from, Instant.MAX, count == 0 ? DEFAULT_PREVIEW : count)
        .forEach(tick -> response.addFireAt(TimeMapper.toWire(tick)));
    return response.build();
  }

  private CronTimes timesOf(PreviewScheduleRequest request) {
    Schedule.Definition definition =
        lists.get(Requests.namespace(request.getNamespace()), request.getScheduleId()).definition();
    return CronReader.read(definition.cron(), definition.timezone());
  }

  private static void checkPageSize(Validation check, int size) {
    check.require(
        size >= 0 && size <= RunLists.MAX_PAGE_SIZE,
        "page_size",
        "is %d (expected: 1 to %d)".formatted(size, RunLists.MAX_PAGE_SIZE));
  }

  private static int pageSize(int given) {
    return given == 0 ? DEFAULT_PAGE_SIZE : given;
  }

  private static PageInfo page(Batches.Listed<?> listed, RunLists.@Nullable Count count) {
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (count != null) {
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    return page.build();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
