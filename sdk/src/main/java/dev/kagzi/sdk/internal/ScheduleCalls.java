package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.ScheduleFiring;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListScheduleRunsResponse;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.SkipReason;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc.WorkflowScheduleServiceBlockingStub;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a client asks about schedules, in plain values. Thread-safe. */
public final class ScheduleCalls {

  static final String OVERLAP_PREFIX = "OVERLAP_POLICY_";

  private static final String OUTCOME_PREFIX = "FIRING_OUTCOME_";

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
      int maxCatchup,
      String overlap,
      String description,
      String type,
      String queue,
      String version,
      Map<String, String> labels,
      boolean paused,
      String pauseReason,
      @Nullable Instant next,
      String lastRunId,
      String error) {}

  /** Creates a schedule; one id for all repetitions makes it one. */
  public View create(ScheduleCall wish, boolean paused) {
    var request = wish.creation().setNamespace(namespace).setPaused(paused);
    return view(
        translated(() ->
            workflows.withRequestId(id -> {
              var whole = request.setRequestId(id).build();
              return call(stub -> stub.createSchedule(whole)).getSchedule();
            })));
  }

  /**
   * Changes a schedule. It is read first: for what its runs are like so far, and for its id, under
   * which a repetition finds it also after a change of the name.
   */
  public View update(String id, ScheduleCall change) {
    Schedule before = read(id);
    var request =
        change
            .change(before.getRun())
            .setNamespace(namespace)
            .setScheduleId(before.getScheduleId())
            .build();
    return view(translated(() -> call(stub -> stub.updateSchedule(request)).getSchedule()));
  }

  public View get(String id) {
    return view(read(id));
  }

  private Schedule read(String id) {
    var request = GetScheduleRequest.newBuilder().setNamespace(namespace).setScheduleId(id).build();
    return translated(() -> call(stub -> stub.getSchedule(request)).getSchedule());
  }

  /** A page of schedules, newest first. */
  public Page<View> list(int size, String token) {
    var request =
        ListSchedulesRequest.newBuilder()
            .setNamespace(namespace)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    ListSchedulesResponse page = translated(() -> call(stub -> stub.listSchedules(request)));
    return Pages.of(page.getSchedulesList(), ScheduleCalls::view, page.getPage());
  }

  /** A page of what became of the ticks of a schedule, newest first; null for any outcome. */
  public Page<ScheduleFiring> history(
      String id, ScheduleFiring.@Nullable Outcome outcome, int size, String token) {
    var request =
        ListScheduleRunsRequest.newBuilder()
            .setNamespace(namespace)
            .setScheduleId(id)
            .setPageSize(size)
            .setPageToken(token);
    if (outcome != null) {
      request.setOutcome(FiringOutcome.valueOf(OUTCOME_PREFIX + outcome.name()));
    }
    var whole = request.build();
    ListScheduleRunsResponse page = translated(() -> call(stub -> stub.listScheduleRuns(whole)));
    return Pages.of(page.getFiringsList(), ScheduleCalls::firing, page.getPage());
  }

  private static ScheduleFiring firing(dev.kagzi.v1.ScheduleFiring wire) {
    SkipReason reason = wire.getSkipReason();
    return new ScheduleFiring(
        WireTimes.toInstant(wire.getFireAt()),
        WireNames.read(wire.getOutcome(), OUTCOME_PREFIX, ScheduleFiring.Outcome.UNKNOWN),
        reason == SkipReason.SKIP_REASON_UNSPECIFIED
            ? Optional.empty()
            : Optional.of(
                WireNames.read(reason, "SKIP_REASON_", ScheduleFiring.SkipReason.UNKNOWN)),
        WireTimes.toInstant(wire.getFiredAt()),
        Optional.of(wire.getRunId()).filter(run -> !run.isEmpty()),
        wire.hasRun() ? Optional.of(RunView.status(wire.getRun().getStatus())) : Optional.empty(),
        wire.getManual());
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
    return preview(request);
  }

  /** When a cron expression fires next, before it is used. */
  public List<Instant> preview(String cron, String zone, int count) {
    var request =
        PreviewScheduleRequest.newBuilder()
            .setNamespace(namespace)
            .setCronExpr(cron)
            .setTimezone(zone)
            .setCount(count)
            .build();
    return preview(request);
  }

  private List<Instant> preview(PreviewScheduleRequest request) {
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
        wire.getMaxCatchup(),
        wire.getOverlapPolicy().name().replace(OVERLAP_PREFIX, ""),
        wire.getDescription(),
        wire.getRun().getWorkflowType(),
        wire.getRun().getTaskQueue(),
        wire.getRun().getVersion(),
        wire.getRun().getLabelsMap(),
        wire.getStatus() == WorkflowStatus.WORKFLOW_STATUS_PAUSED,
        wire.getPauseReason(),
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
