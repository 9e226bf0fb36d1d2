package dev.kagzi.server.grpc;

import static dev.kagzi.server.grpc.GoodSchedules.aSchedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.server.TestServer;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.Batch;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.MethodDescriptor;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schedules lie among the runs, but nobody who asks for runs ever meets one. */
class TemplateTest {

  private TestServer server;

  @BeforeEach
  void startServer() {
    server = TestServer.start();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  private Schedule created(boolean paused) {
    return server.schedules().createSchedule(aSchedule().setPaused(paused).build()).getSchedule();
  }

  private Schedule read(Schedule schedule) {
    return server
        .schedules()
        .getSchedule(
            GetScheduleRequest.newBuilder().setScheduleId(schedule.getScheduleId()).build())
        .getSchedule();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScheduleIsAnsweredLikeARunThatNeverWas(boolean paused) {
    Schedule schedule = created(paused);
    var calls = new RawCalls(server.channel());
    var good = new GoodRequests(server);
    String nobody = new TimeOrderedIds(InstantSource.system()).next().toString();
    List<String> tried = new ArrayList<>();

    aboutOneRun()
        .forEach(method -> {
          String name = String.valueOf(method.getBareMethodName());
          Message request = good.request(name);
          FieldDescriptor runId = request.getDescriptorForType().findFieldByName("run_id");
          if (runId != null) {
            var about = request.toBuilder();
            var ofSchedule =
                calls.call(
                    method, about.setField(runId, schedule.getScheduleId()).build().toByteArray());
            var ofNobody = calls.call(method, about.setField(runId, nobody).build().toByteArray());
            assertThat(ofSchedule.code()).as(name).isEqualTo(ofNobody.code());
            assertThat(ofSchedule.info()).as(name).isEqualTo(ofNobody.info());
            tried.add(name);
          }
        });

    assertThat(
            server
                .workflows()
                .deleteWorkflow(
                    DeleteWorkflowRequest.newBuilder().setRunId(schedule.getScheduleId()).build())
                .getDeleted())
        .isFalse();
    assertThat(tried).hasSizeGreaterThan(15).contains("GetWorkflow", "ExplainWorkflow");
    assertThat(read(schedule)).isEqualTo(schedule);
  }

  private static Stream<MethodDescriptor<?, ?>> aboutOneRun() {
    return Stream.of(
            WorkflowServiceGrpc.getServiceDescriptor(),
            WorkerServiceGrpc.getServiceDescriptor(),
            AdminServiceGrpc.getServiceDescriptor())
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> method.getType() == MethodDescriptor.MethodType.UNARY);
  }

  @Test
  void noListCountOrBatchOfRunsHoldsASchedule() {
    List<Schedule> schedules = List.of(created(false), created(true));
    var type = WorkflowFilter.newBuilder().addWorkflowTypes("report").build();

    for (var filter : List.of(WorkflowFilter.getDefaultInstance(), type)) {
      assertThat(
              server
                  .workflows()
                  .listWorkflows(ListWorkflowsRequest.newBuilder().setFilter(filter).build())
                  .getRunsList())
          .isEmpty();
      assertThat(
              server
                  .workflows()
                  .countWorkflows(CountWorkflowsRequest.newBuilder().setFilter(filter).build())
                  .getCount())
          .isZero();
    }
    for (var operation :
        List.of(BatchOperation.BATCH_OPERATION_CANCEL, BatchOperation.BATCH_OPERATION_DELETE)) {
      assertThat(touched(StartBatchRequest.newBuilder().setOperation(operation).setFilter(type)))
          .isZero();
      var named = StartBatchRequest.newBuilder().setOperation(operation);
      schedules.forEach(schedule -> named.addRunIds(schedule.getScheduleId()));
      assertThat(touched(named)).isZero();
    }
    assertThat(schedules).allSatisfy(one -> assertThat(read(one)).isEqualTo(one));
  }

  private long touched(StartBatchRequest.Builder request) {
    String id = server.workflows().startBatch(request.build()).getBatch().getBatchId();
    var ask = GetBatchRequest.newBuilder().setBatchId(id).build();
    Batch ended =
        await()
            .until(
                () -> server.workflows().getBatch(ask).getBatch(),
                batch -> batch.getStatus() == BatchStatus.BATCH_STATUS_COMPLETED);
    return ended.getSucceeded();
  }
}
