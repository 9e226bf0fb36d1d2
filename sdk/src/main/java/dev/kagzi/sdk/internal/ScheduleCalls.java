package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc.WorkflowScheduleServiceBlockingStub;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a client asks about schedules, in plain values. Thread-safe. */
public final class ScheduleCalls {

  private static final int PAGE_SIZE = 200;

  private final WorkflowCalls workflows;
  private final ServerConnection connection;
  private final String namespace;

  ScheduleCalls(WorkflowCalls workflows, ServerConnection connection, String namespace) {
    this.workflows = workflows;
    this.connection = connection;
    this.namespace = namespace;
  }

  /** A schedule as the server shows it; empty texts where it has nothing to say. */
  public record View(
      String id,
      String name,
      String cron,
      String inWords,
      String zone,
      String type,
      boolean paused,
      @Nullable Instant next,
      String lastRunId,
      String error) {}

  /** What a schedule is to be; a null is left to the server. */
  public record Wish(
      String name,
      String cron,
      String zone,
      String type,
      Payload input,
      String queue,
      String version,
      String overlap,
      @Nullable Integer maxCatchup,
      String description,
      boolean paused) {}

  /** Creates a schedule; one id for all repetitions makes it one. */
  public View create(Wish wish) {
    var request =
        CreateScheduleRequest.newBuilder()
            .setNamespace(namespace)
            .setName(wish.name())
            .setCronExpr(wish.cron())
            .setTimezone(wish.zone())
            .setOverlapPolicy(OverlapPolicy.valueOf("OVERLAP_POLICY_" + wish.overlap()))
            .setDescription(wish.description())
            .setPaused(wish.paused())
            .setRun(
                RunTemplate.newBuilder()
                    .setWorkflowType(wish.type())
                    .setTaskQueue(wish.queue())
                    .setVersion(wish.version())
                    .setInput(WirePayloads.toWire(wish.input())));
    Integer maxCatchup = wish.maxCatchup();
    if (maxCatchup != null) {
      request.setMaxCatchup(maxCatchup);
    }
    return view(
        translated(() ->
            workflows.withRequestId(id -> {
              var whole = request.setRequestId(id).build();
              return call(stub -> stub.createSchedule(whole)).getSchedule();
            })));
  }

  public View get(String id) {
    var request = GetScheduleRequest.newBuilder().setNamespace(namespace).setScheduleId(id).build();
    return view(translated(() -> call(stub -> stub.getSchedule(request)).getSchedule()));
  }

  /** All schedules, newest first. */
  public List<View> list() {
    List<View> all = new ArrayList<>();
    String token = "";
    do {
      var request =
          ListSchedulesRequest.newBuilder()
              .setNamespace(namespace)
              .setPageSize(PAGE_SIZE)
              .setPageToken(token)
              .build();
      ListSchedulesResponse page = translated(() -> call(stub -> stub.listSchedules(request)));
      page.getSchedulesList().forEach(schedule -> all.add(view(schedule)));
      token = page.getPage().getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  public View pause(String id, String reason) {
    var request =
        PauseScheduleRequest.newBuilder()
            .setNamespace(namespace)
            .setScheduleId(id)
            .setReason(reason)
            .build();
    return view(translated(() -> call(stub -> stub.pauseSchedule(request)).getSchedule()));
  }

  public View resume(String id) {
    var request =
        ResumeScheduleRequest.newBuilder().setNamespace(namespace).setScheduleId(id).build();
    return view(translated(() -> call(stub -> stub.resumeSchedule(request)).getSchedule()));
  }

  /** The run that was started; empty if the overlap policy kept it from starting. */
  public String trigger(String id) {
    return translated(() ->
        workflows.withRequestId(requestId -> {
          var request =
              TriggerScheduleRequest.newBuilder()
                  .setNamespace(namespace)
                  .setScheduleId(id)
                  .setRequestId(requestId)
                  .build();
          return call(stub -> stub.triggerSchedule(request)).getFiring().getRunId();
        }));
  }

  /** Fires the ticks of a window that have not been fired; returns the runs. */
  public List<String> backfill(String id, Instant from, Instant to) {
    List<String> runs = new ArrayList<>();
    Instant begin = from;
    BackfillScheduleResponse part;
    do {
      var request =
          BackfillScheduleRequest.newBuilder()
              .setNamespace(namespace)
              .setScheduleId(id)
              .setFrom(WireTimes.fromInstant(begin))
              .setTo(WireTimes.fromInstant(to))
              .build();
      part = translated(() -> call(stub -> stub.backfillSchedule(request)));
      runs.addAll(part.getRunIdsList());
      begin = WireTimes.toInstant(part.getContinueFrom());
    } while (part.hasContinueFrom());
    return runs;
  }

  public boolean delete(String id) {
    var request =
        DeleteScheduleRequest.newBuilder().setNamespace(namespace).setScheduleId(id).build();
    return translated(() -> call(stub -> stub.deleteSchedule(request)).getDeleted());
  }

  /** When a schedule fires next. */
  public List<Instant> next(String id, int count) {
    var request =
        PreviewScheduleRequest.newBuilder()
            .setNamespace(namespace)
            .setScheduleId(id)
            .setCount(count)
            .build();
    return translated(() -> call(stub -> stub.previewSchedule(request))).getFireAtList().stream()
        .map(WireTimes::toInstant)
        .toList();
  }

  private static View view(Schedule wire) {
    return new View(
        wire.getScheduleId(),
        wire.getName(),
        wire.getCronExpr(),
        wire.getCronInWords(),
        wire.getTimezone(),
        wire.getRun().getWorkflowType(),
        wire.getStatus() == WorkflowStatus.WORKFLOW_STATUS_PAUSED,
        wire.hasNextFireAt() ? WireTimes.toInstant(wire.getNextFireAt()) : null,
        wire.getLastRunId(),
        wire.getError());
  }

  private <R> R translated(Supplier<R> asking) {
    try {
      return asking.get();
    } catch (CallFailedException failure) {
      throw connection.translate(failure);
    }
  }

  private <R> R call(Function<WorkflowScheduleServiceBlockingStub, R> request) {
    try {
      return connection.call(
          WorkflowScheduleServiceGrpc::newBlockingStub, request, ServerConnection.CALL_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KagziException("Interrupted while waiting for the Kagzi server", e);
    }
  }
}
