package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.faultyFields;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.millis;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.Wire.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.CancelOutcome;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.IdReusePolicy;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.TimeoutConfig;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WorkflowEndpointTest {

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  private static WorkflowRun get(String runId) {
    return server
        .workflows()
        .getWorkflow(GetWorkflowRequest.newBuilder().setRunId(runId).build())
        .getRun();
  }

  private static String start(StartWorkflowRequest.Builder request) {
    return server.workflows().startWorkflow(request.build()).getRunId();
  }

  private static StatusRuntimeException refusalOf(Runnable call) {
    var refusal = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  /** Carries a run of the queue out, as a worker would. */
  private static void carryOut(String queue, String output) {
    String worker = server.workers().register(aWorker().setTaskQueue(queue).build()).getWorkerId();
    Task task = server.workers().pollTask(aPoll(worker).setTaskQueue(queue).build()).getTasks(0);
    var unused = server.workers().completeWorkflow(complete(task, worker, output));
  }

  @Test
  void showsARunThatWasStarted() {
    var request =
        aStart().setExternalId("shown-1").putLabels("team", "payments").setStartDelay(seconds(60));

    WorkflowRun run = get(start(request));

    assertThat(run.getNamespace()).isEqualTo("default");
    assertThat(run.getWorkflowType()).isEqualTo(Wire.TYPE);
    assertThat(run.getTaskQueue()).isEqualTo(Wire.QUEUE);
    assertThat(run.getExternalId()).isEqualTo("shown-1");
    assertThat(run.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
    assertThat(run.getLabelsMap()).containsEntry("team", "payments");
    assertThat(run.getAttempts()).isEqualTo(1);
    assertThat(run.getAvailableAt().getSeconds())
        .isGreaterThanOrEqualTo(run.getCreatedAt().getSeconds() + 60);
  }

  @Test
  void showsWhatTheStarterDecidedAndLeavesOpenWhatHeLeftOpen() {
    RetryPolicy retry = RetryPolicy.newBuilder().setMaximumAttempts(7).build();
    TimeoutConfig timeouts =
        TimeoutConfig.newBuilder()
            .setStartToCloseTimeout(seconds(5))
            .setExecutionTimeout(seconds(3600))
            .build();

    WorkflowRun run =
        get(
            start(
                aStart()
                    .setTaskQueue("nobody")
                    .setRetryPolicy(retry)
                    .setTimeouts(timeouts)
                    .setOnFailureWorkflow("page-somebody")));

    assertThat(run.getRetryPolicy()).isEqualTo(retry);
    assertThat(run.getTimeouts()).isEqualTo(timeouts);
    assertThat(run.getOnFailureWorkflow()).isEqualTo("page-somebody");
    assertThat(run.getDeadlineAt().getSeconds()).isEqualTo(run.getCreatedAt().getSeconds() + 3600);
  }

  @Test
  void findsTheLiveRunOfAnExternalId() {
    var request = aStart().setExternalId("once").setTaskQueue("nobody");
    String first = start(request);

    var second = server.workflows().startWorkflow(request.build());

    assertThat(second.getRunId()).isEqualTo(first);
    assertThat(second.getAlreadyExists()).isTrue();
    assertThat(
            server
                .workflows()
                .getWorkflow(GetWorkflowRequest.newBuilder().setExternalId("once").build())
                .getRun()
                .getRunId())
        .isEqualTo(first);
  }

  @Test
  void anExternalIdIsUsedAgainOnlyIfTheStarterAllowsIt() {
    var request = aStart().setExternalId("used").setTaskQueue("reused");
    String first = start(request);
    carryOut("reused", "1");

    var rejected =
        server
            .workflows()
            .startWorkflow(request.setIdReusePolicy(IdReusePolicy.ID_REUSE_POLICY_REJECT).build());

    assertThat(rejected.getRunId()).isEqualTo(first);
    assertThat(rejected.getAlreadyExists()).isTrue();
    assertThat(start(request.clearIdReusePolicy())).isNotEqualTo(first);
  }

  @Test
  void aStartThatIsRepeatedStartsOneRun() {
    String requestId = new TimeOrderedIds(InstantSource.system()).next().toString();
    var request = aStart().setRequestId(requestId).setTaskQueue("nobody").build();

    assertThat(server.workflows().startWorkflow(request).getRunId()).isEqualTo(requestId);
    assertThat(server.workflows().startWorkflow(request))
        .matches(again -> again.getRunId().equals(requestId) && !again.getAlreadyExists());
  }

  @Test
  void aRequestIdOfAnotherTimeIsRefusedWithTheServersTime() {
    var anHourAgo = InstantSource.offset(InstantSource.system(), Duration.ofHours(-1));
    String stale = new TimeOrderedIds(anHourAgo).next().toString();

    StatusRuntimeException refusal = refusalOf(() -> start(aStart().setRequestId(stale)));

    assertThat(verdict(refusal)).isEqualTo("INVALID_ARGUMENT REQUEST_ID_OUT_OF_RANGE");
    assertThat(Wire.errorInfo(refusal).getMetadataMap()).containsKey("server_time");
    assertThat(Wire.errorInfo(refusal).getDomain()).isEqualTo("kagzi.dev");
  }

  @Test
  void aWaitingClientHearsOfTheEndAtOnce() throws Exception {
    String runId = start(aStart().setTaskQueue("awaited"));
    var answer = new CompletableFuture<AwaitWorkflowResponse>();
    WorkflowServiceGrpc.newStub(server.channel())
        .awaitWorkflow(AwaitWorkflowRequest.newBuilder().setRunId(runId).build(), futureOf(answer));

    carryOut("awaited", "{\"total\": 3}");

    AwaitWorkflowResponse response = answer.get(5, TimeUnit.SECONDS);
    assertThat(response.getFinished()).isTrue();
    assertThat(response.getRun().getOutput().getJson()).isEqualTo("{\"total\": 3}");
  }

  @Test
  void aWaitThatIsOverFirstSaysSo() {
    start(aStart().setExternalId("patient").setTaskQueue("nobody"));

    var response =
        server
            .workflows()
            .awaitWorkflow(
                AwaitWorkflowRequest.newBuilder()
                    .setExternalId("patient")
                    .setWait(millis(50))
                    .build());

    assertThat(response.getFinished()).isFalse();
    assertThat(response.getRun().getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
  }

  @Test
  void payloadsAreKeptAsTheyWereSent() {
    byte[] bytes = {0, 1, 2, (byte) 0xff};
    start(
        aStart()
            .setTaskQueue("bytes")
            .setInput(
                Payload.newBuilder()
                    .setData(ByteString.copyFrom(bytes))
                    .putMetadata("encoding", "own")));
    String worker =
        server.workers().register(aWorker().setTaskQueue("bytes").build()).getWorkerId();

    Task task = server.workers().pollTask(aPoll(worker).setTaskQueue("bytes").build()).getTasks(0);

    assertThat(task.getInput().getData().toByteArray()).isEqualTo(bytes);
    assertThat(task.getInput().getMetadataMap()).containsOnlyKeys("encoding");
  }

  @Test
  void aPayloadOfTwoMegabytesIsTheLargest() {
    int limit = 2 * 1024 * 1024;

    assertThat(
            server
                .workflows()
                .startWorkflow(
                    aStart().setTaskQueue("nobody").setInput(json("1".repeat(limit))).build())
                .getWarningsList())
        .hasSize(1);
    assertThat(faultyFields(refusalOf(() -> start(aStart().setInput(json("1".repeat(limit + 1)))))))
        .containsExactly("input");
    assertThat(
            refusalOf(() -> start(aStart().setInput(json("1".repeat(8 * 1024 * 1024)))))
                .getStatus()
                .getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  @Test
  void reportsAllFaultsOfARequestAtOnce() {
    var request =
        StartWorkflowRequest.newBuilder()
            .setTaskQueue("bad\nname")
            .setExternalId("x".repeat(256))
            .setRequestId("not-an-id")
            .setStartDelay(com.google.protobuf.Duration.newBuilder().setSeconds(-1))
            .setDeadlineAt(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE))
            .setIdReusePolicyValue(99)
            .putLabels("", "v")
            .setTimeouts(TimeoutConfig.newBuilder().setHeartbeatTimeout(seconds(1)))
            .setRetryPolicy(RetryPolicy.newBuilder().setMaximumAttempts(-7));

    StatusRuntimeException refusal = refusalOf(() -> start(request));

    assertThat(verdict(refusal)).isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    assertThat(faultyFields(refusal))
        .containsExactlyInAnyOrder(
            "workflow_type",
            "task_queue",
            "external_id",
            "request_id",
            "start_delay",
            "deadline_at",
            "id_reuse_policy",
            "labels key",
            "timeouts.heartbeat_timeout",
            "retry_policy");
  }

  @Test
  void absurdDurationsAreTheCallersFault() {
    var absurd =
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(Long.MAX_VALUE)
            .setNanos(Integer.MAX_VALUE);
    assertThat(
            List.of(
                aStart().setStartDelay(absurd),
                aStart().setTimeouts(TimeoutConfig.newBuilder().setHeartbeatTimeout(absurd)),
                aStart().setTimeouts(TimeoutConfig.newBuilder().setStartToCloseTimeout(absurd)),
                aStart().setRetryPolicy(RetryPolicy.newBuilder().setInitialInterval(absurd)),
                aStart().setRetryPolicy(RetryPolicy.newBuilder().setMaximumInterval(absurd))))
        .extracting(request -> verdict(refusalOf(() -> start(request))))
        .containsOnly("INVALID_ARGUMENT INVALID_ARGUMENT");
  }

  @Test
  void runsAndNamespacesThatAreNotThereAreNotFound() {
    String runId = start(aStart().setTaskQueue("nobody"));
    String missing = UUID.randomUUID().toString();

    assertThat(verdict(refusalOf(() -> get(missing)))).isEqualTo("NOT_FOUND RUN_NOT_FOUND");
    assertThat(
            verdict(
                refusalOf(() ->
                    server
                        .workflows()
                        .getWorkflow(
                            GetWorkflowRequest.newBuilder()
                                .setNamespace("elsewhere")
                                .setRunId(runId)
                                .build()))))
        .isEqualTo("NOT_FOUND RUN_NOT_FOUND");
    assertThat(verdict(refusalOf(() -> start(aStart().setNamespace("elsewhere")))))
        .isEqualTo("NOT_FOUND NAMESPACE_NOT_FOUND");
  }

  @Test
  void cancelsALiveRunAndSaysWhenItHadEnded() {
    String runId = start(aStart().setTaskQueue("nobody"));
    var request = CancelWorkflowRequest.newBuilder().setRunId(runId).setReason("test").build();

    var first = server.workflows().cancelWorkflow(request);

    assertThat(first.getOutcome()).isEqualTo(CancelOutcome.CANCEL_OUTCOME_CANCELLED);
    assertThat(first.getRun().getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_CANCELLED);
    assertThat(server.workflows().cancelWorkflow(request).getOutcome())
        .isEqualTo(CancelOutcome.CANCEL_OUTCOME_CANCELLED);
  }

  @Test
  void reflectionListsAllServices() throws Exception {
    var answer = new CompletableFuture<ServerReflectionResponse>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(server.channel()).serverReflectionInfo(futureOf(answer));
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());

    assertThat(answer.get(5, TimeUnit.SECONDS).getListServicesResponse().getServiceList())
        .extracting(service -> service.getName())
        .contains(
            "kagzi.v1.WorkflowService",
            "kagzi.v1.WorkerService",
            "kagzi.v1.WorkflowScheduleService",
            "kagzi.v1.AdminService",
            "kagzi.v1.NamespaceService",
            "grpc.health.v1.Health");
    requests.onCompleted();
  }

  private static <T> StreamObserver<T> futureOf(CompletableFuture<T> future) {
    return new StreamObserver<>() {
      @Override
      public void onNext(T value) {
        future.complete(value);
      }

      @Override
      public void onError(Throwable failure) {
        future.completeExceptionally(failure);
      }

      @Override
      public void onCompleted() {}
    };
  }
}
