package dev.kagzi.sdk.fake;

import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.CreateScheduleResponse;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.GetScheduleResponse;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListScheduleRunsResponse;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.ScheduleFiring;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.UpdateScheduleResponse;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The schedules of the fake server. Nothing fires; a test says what is in the history. */
public final class FakeScheduleService
    extends WorkflowScheduleServiceGrpc.WorkflowScheduleServiceImplBase {

  private final FakeCalls calls;
  private final Faults faults;
  private final List<Schedule> schedules = new CopyOnWriteArrayList<>();
  private final List<ScheduleFiring> history = new CopyOnWriteArrayList<>();

  FakeScheduleService(FakeCalls calls, Faults faults) {
    this.calls = calls;
    this.faults = faults;
  }

  /** Adds to the history of all schedules. */
  public void fired(ScheduleFiring firing) {
    history.add(firing);
  }

  @Override
  public void createSchedule(
      CreateScheduleRequest request, StreamObserver<CreateScheduleResponse> reply) {
    answer(
        "CreateSchedule",
        request,
        reply,
        () -> {
          var schedule =
              Schedule.newBuilder()
                  .setScheduleId(request.getRequestId())
                  .setName(request.getName())
                  .setCronExpr(request.getCronExpr())
                  .setOverlapPolicy(OverlapPolicy.OVERLAP_POLICY_ALLOW)
                  .setRun(request.getRun())
                  .build();
          schedules.add(schedule);
          return CreateScheduleResponse.newBuilder().setSchedule(schedule).build();
        });
  }

  @Override
  public void getSchedule(GetScheduleRequest request, StreamObserver<GetScheduleResponse> reply) {
    answer(
        "GetSchedule",
        request,
        reply,
        () -> GetScheduleResponse.newBuilder().setSchedule(find(request.getScheduleId())).build());
  }

  @Override
  public void updateSchedule(
      UpdateScheduleRequest request, StreamObserver<UpdateScheduleResponse> reply) {
    answer(
        "UpdateSchedule",
        request,
        reply,
        () -> {
          Schedule before = find(request.getScheduleId());
          var after = before.toBuilder();
          if (request.hasName()) {
            after.setName(request.getName());
          }
          if (request.hasRun()) {
            after.setRun(request.getRun());
          }
          schedules.replaceAll(known -> known.equals(before) ? after.build() : known);
          return UpdateScheduleResponse.newBuilder().setSchedule(after).build();
        });
  }

  @Override
  public void listScheduleRuns(
      ListScheduleRunsRequest request, StreamObserver<ListScheduleRunsResponse> reply) {
    answer(
        "ListScheduleRuns",
        request,
        reply,
        () -> {
          var page = FakePages.of(history, request.getPageSize(), request.getPageToken());
          return ListScheduleRunsResponse.newBuilder()
              .addAllFirings(page.items())
              .setPage(page.info())
              .build();
        });
  }

  private Schedule find(String idOrName) {
    return schedules.stream()
        .filter(known -> known.getScheduleId().equals(idOrName) || known.getName().equals(idOrName))
        .findFirst()
        .orElseThrow(() -> Refusals.refusal(Status.Code.NOT_FOUND, "SCHEDULE_NOT_FOUND"));
  }

  private <R> void answer(String rpc, Object request, StreamObserver<R> reply, Supplier<R> call) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply(rpc, call);
        });
  }
}
