package dev.kagzi.server.grpc;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.kagzi.server.TestServer;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.PreviewScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.UpdateScheduleRequest;

/** For each method about schedules a request that is carried out. */
record GoodSchedules(TestServer server) {

  static CreateScheduleRequest.Builder aSchedule() {
    return CreateScheduleRequest.newBuilder()
        .setCronExpr("0 0 1 1 *")
        .setRun(RunTemplate.newBuilder().setWorkflowType("report").setTaskQueue("nobody"));
  }

  Message request(String method) {
    return switch (method) {
      case "CreateSchedule" -> aSchedule().build();
      case "GetSchedule" -> GetScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "ListSchedules" -> ListSchedulesRequest.newBuilder().setPageSize(1).build();
      case "UpdateSchedule" -> UpdateScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "DeleteSchedule" -> DeleteScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "PauseSchedule" -> PauseScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "ResumeSchedule" -> ResumeScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "TriggerSchedule" -> TriggerScheduleRequest.newBuilder().setScheduleId(id()).build();
      case "BackfillSchedule" ->
          BackfillScheduleRequest.newBuilder()
              .setScheduleId(id())
              .setFrom(Timestamp.getDefaultInstance())
              .setTo(Timestamp.newBuilder().setSeconds(60))
              .build();
      case "PreviewSchedule" ->
          PreviewScheduleRequest.newBuilder().setCronExpr("0 9 * * *").build();
      case "ListScheduleRuns" -> ListScheduleRunsRequest.newBuilder().setScheduleId(id()).build();
      default -> throw new AssertionError("no good request is known for " + method);
    };
  }

  private String id() {
    return server.schedules().createSchedule(aSchedule().build()).getSchedule().getScheduleId();
  }
}
