package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.CreateScheduleResponse;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.DeleteScheduleResponse;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.GetScheduleResponse;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListScheduleRunsResponse;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PauseScheduleResponse;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.PreviewScheduleResponse;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.ResumeScheduleResponse;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.TriggerScheduleResponse;
import dev.kagzi.v1.UpdateScheduleRequest;
import dev.kagzi.v1.UpdateScheduleResponse;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import io.grpc.stub.StreamObserver;

/** What clients ask about schedules. Thread-safe. */
final class ScheduleEndpoint extends WorkflowScheduleServiceGrpc.WorkflowScheduleServiceImplBase {

  private final ScheduleCalls changes;
  private final ScheduleReads reads;
  private final FiringCalls firings;

  ScheduleEndpoint(Engine engine) {
    this.changes = new ScheduleCalls(engine.scheduling().schedules());
    this.reads = new ScheduleReads(engine.scheduling().lists(), engine.clock());
    this.firings = new FiringCalls(engine.scheduling().manual());
  }

  @Override
  public void createSchedule(
      CreateScheduleRequest request, StreamObserver<CreateScheduleResponse> caller) {
    Unary.answer(caller, () -> changes.create(request));
  }

  @Override
  public void getSchedule(GetScheduleRequest request, StreamObserver<GetScheduleResponse> caller) {
    Unary.answer(caller, () -> reads.get(request));
  }

  @Override
  public void listSchedules(
      ListSchedulesRequest request, StreamObserver<ListSchedulesResponse> caller) {
    Unary.answer(caller, () -> reads.list(request));
  }

  @Override
  public void updateSchedule(
      UpdateScheduleRequest request, StreamObserver<UpdateScheduleResponse> caller) {
    Unary.answer(caller, () -> changes.update(request));
  }

  @Override
  public void deleteSchedule(
      DeleteScheduleRequest request, StreamObserver<DeleteScheduleResponse> caller) {
    Unary.answer(caller, () -> changes.delete(request));
  }

  @Override
  public void pauseSchedule(
      PauseScheduleRequest request, StreamObserver<PauseScheduleResponse> caller) {
    Unary.answer(caller, () -> changes.pause(request));
  }

  @Override
  public void resumeSchedule(
      ResumeScheduleRequest request, StreamObserver<ResumeScheduleResponse> caller) {
    Unary.answer(caller, () -> changes.resume(request));
  }

  @Override
  public void triggerSchedule(
      TriggerScheduleRequest request, StreamObserver<TriggerScheduleResponse> caller) {
    Unary.answer(caller, () -> firings.trigger(request));
  }

  @Override
  public void backfillSchedule(
      BackfillScheduleRequest request, StreamObserver<BackfillScheduleResponse> caller) {
    Unary.answer(caller, () -> firings.backfill(request));
  }

  @Override
  public void previewSchedule(
      PreviewScheduleRequest request, StreamObserver<PreviewScheduleResponse> caller) {
    Unary.answer(caller, () -> reads.preview(request));
  }

  @Override
  public void listScheduleRuns(
      ListScheduleRunsRequest request, StreamObserver<ListScheduleRunsResponse> caller) {
    Unary.answer(caller, () -> reads.runs(request));
  }
}
