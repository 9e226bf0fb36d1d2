package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowResponse;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.StatusRuntimeException;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs that go on and runs that are begun again. */
class RetryCallsTest {

  private static TestServer server;
  private WorkerFixture worker;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void register() {
    worker = new WorkerFixture(server, WorkerFixture.Transport.UNARY);
  }

  @AfterEach
  void leave() {
    worker.close();
  }

  @Test
  void aFailedRunGoesOnFromItsFailedStep() {
    String runId = failed();

    RetryWorkflowResponse response = retry(aRetry(runId).setReason("the bank is up again"));

    assertThat(response.getAlreadyActive()).isFalse();
    assertThat(response.getSupersededStepKeysList()).containsExactly("charge");
    assertThat(response.getRun().getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
    assertThat(response.getRun().getRetries()).isEqualTo(1);
    Task task = worker.claim();
    assertThat(task.getRunId()).isEqualTo(runId);
    assertThat(task.getHistoryList()).extracting(HistoryItem::getStepKey).contains("reserve");
    HistoryItem charge = task.getHistory(1);
    assertThat(charge.getSettled()).isFalse();
    assertThat(charge.getAttempt()).isEqualTo(1);
    assertThat(charge.getFailures()).isZero();
    assertThat(charge.hasError()).isFalse();
    completeStep(task, "charge", 2, 2);
    var unused = worker.client().complete(complete(task, worker.workerId(), "1"));
    assertThat(worker.get(runId).getRetries()).isEqualTo(1);
    assertThat(worker.get(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
  }

  @Test
  void aRetryIsRepeatedSafely() {
    String runId = failed();
    RetryWorkflowRequest.Builder request = aRetry(runId).setExpectedRetries(0);

    RetryWorkflowResponse first = retry(request);

    assertThat(retry(request)).isEqualTo(first);
    RetryWorkflowResponse careless = retry(aRetry(runId));
    assertThat(careless.getAlreadyActive()).isTrue();
    assertThat(careless.getRun().getRetries()).isEqualTo(1);
    Task task = worker.claim();
    var unused = worker.client().fail(fail(task, worker.workerId()).build());
    assertThat(retry(request).getRun().getStatus())
        .isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
    retry(request.setExpectedRetries(1));
    var unusedToo = worker.client().fail(fail(worker.claim(), worker.workerId()).build());
    assertThat(refusalOf(() -> retry(request.setExpectedRetries(0))))
        .isEqualTo("FAILED_PRECONDITION RETRIED_BEFORE");
  }

  @Test
  void aRunThatWaitsForItsOwnNextAttemptShowsItsLastError() {
    String runId = failedOutsideItsSteps();

    WorkflowRun waiting = worker.get(runId);

    assertThat(waiting.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
    assertThat(waiting.getError().getType()).isEqualTo("NoStock");
    assertThat(waiting.getError().getMessage()).isEqualTo("no kettles");
    assertThat(waiting.getError().getStackTrace()).isEqualTo("at Shelf");
    ErrorDetail listed = listed(runId).getError();
    assertThat(listed.getMessage()).isEqualTo("no kettles");
    assertThat(listed.getStackTrace()).isEmpty();
  }

  @Test
  void anErrorOfTheRunIsNotShownForARetryOfAStep() {
    String runId = failedOutsideItsSteps();
    Task task = worker.claim();
    assertThat(worker.get(runId).hasError()).isFalse();
    var unused =
        server
            .workers()
            .suspend(
                SuspendRequest.newBuilder()
                    .setRunId(task.getRunId())
                    .setLeaseEpoch(task.getLeaseEpoch())
                    .setWorkerId(worker.workerId())
                    .addWaits(
                        Wait.newBuilder()
                            .setStep(aStep("charge"))
                            .setKind(WaitKind.WAIT_KIND_RETRY)
                            .setDuration(seconds(60)))
                    .setRelease(true)
                    .build());

    WorkflowRun waiting = worker.get(runId);

    assertThat(waiting.getWaitReason()).isEqualTo(WaitReason.WAIT_REASON_RETRY);
    assertThat(waiting.hasError()).isFalse();
    assertThat(listed(runId).hasError()).isFalse();
  }

  /** It is tried again after a second. */
  private String failedOutsideItsSteps() {
    String runId =
        server
            .workflows()
            .startWorkflow(
                worker
                    .aStartHere()
                    .setRetryPolicy(
                        RetryPolicy.newBuilder()
                            .setMaximumAttempts(3)
                            .setInitialInterval(seconds(1)))
                    .build())
            .getRunId();
    ErrorDetail.Builder error =
        ErrorDetail.newBuilder()
            .setType("NoStock")
            .setMessage("no kettles")
            .setStackTrace("at Shelf");
    var unused =
        worker.client().fail(fail(worker.claim(), worker.workerId()).setError(error).build());
    return runId;
  }

  private static WorkflowRun listed(String runId) {
    return server
        .workflows()
        .listWorkflows(
            ListWorkflowsRequest.newBuilder()
                .setFilter(WorkflowFilter.newBuilder().addRunIds(runId))
                .build())
        .getRuns(0);
  }

  @Test
  void runsThatCannotGoOnAreRefused() {
    String completed = worker.start();
    var unused = worker.client().complete(complete(worker.claim(), worker.workerId(), "1"));

    assertThat(refusalOf(() -> retry(aRetry(completed))))
        .isEqualTo("FAILED_PRECONDITION RUN_TERMINAL");
    assertThat(refusalOf(() -> retry(aRetry(UUID.randomUUID().toString()))))
        .isEqualTo("NOT_FOUND RUN_NOT_FOUND");
    assertThat(refusalOf(() -> retry(aRetry(completed).setNamespace("elsewhere"))))
        .isEqualTo("NOT_FOUND NAMESPACE_NOT_FOUND");
  }

  @Test
  void faultsOfARetryAreReportedAtOnce() {
    StatusRuntimeException refusal =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                retry(
                    aRetry("nobody")
                        .setNamespace("bad\nname")
                        .setReason("x".repeat(1001))
                        .setExpectedRetries(-1)));

    assertThat(Wire.faultyFields(refusal))
        .containsExactlyInAnyOrder("namespace", "run_id", "reason", "expected_retries");
  }

  @Test
  void aForkTakesOverWhatWasDoneBeforeAStep() {
    String origin = failed();

    ForkWorkflowResponse fork = fork(aFork(origin).setFromStepKey("charge"));

    assertThat(fork.getCopiedSteps()).isEqualTo(1);
    assertThat(fork.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
    assertThat(worker.get(fork.getRunId()).getForkedFromRunId()).isEqualTo(origin);
    Task task = worker.claim();
    assertThat(task.getRunId()).isEqualTo(fork.getRunId());
    assertThat(task.getInput().getJson()).isEqualTo("{\"id\": 7}");
    assertThat(task.getHistoryList()).hasSize(1);
    assertThat(task.getHistory(0).getOutput().getJson()).isEqualTo("\"reserve\"");
  }

  @Test
  void aForkFromTheStartMayHaveAnotherInput() {
    ForkWorkflowResponse fork = fork(aFork(failed()).setInput(json("{\"id\": 8}")));

    assertThat(fork.getCopiedSteps()).isZero();
    assertThat(worker.claim().getInput().getJson()).isEqualTo("{\"id\": 8}");
  }

  @Test
  void aForkIsRepeatedSafely() {
    String requestId = new TimeOrderedIds(InstantSource.system()).next().toString();
    ForkWorkflowRequest.Builder request =
        aFork(failed()).setFromStepKey("charge").setRequestId(requestId);

    ForkWorkflowResponse first = fork(request);

    assertThat(first.getRunId()).isEqualTo(requestId);
    assertThat(fork(request)).isEqualTo(first);
  }

  @Test
  void forksThatCannotBeAreRefused() {
    String origin = failed();

    StatusRuntimeException unknownStep =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> fork(aFork(origin).setFromStepKey("refund")));
    assertThat(Wire.verdict(unknownStep)).isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    assertThat(unknownStep).hasMessageContaining("reserve, charge");
    assertThat(refusalOf(() -> fork(aFork(UUID.randomUUID().toString()))))
        .isEqualTo("NOT_FOUND RUN_NOT_FOUND");
    var unused =
        server
            .workflows()
            .startWorkflow(aStart().setTaskQueue("nobody").setExternalId("t").build());
    assertThat(refusalOf(() -> fork(aFork(origin).setExternalId("t"))))
        .isEqualTo("FAILED_PRECONDITION ALREADY_ACTIVE");
    StatusRuntimeException faulty =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                fork(
                    aFork("nobody")
                        .setRequestId("none")
                        .setFromStepKey("charge")
                        .setInput(json("1"))
                        .setTaskQueue("bad\nname")));
    assertThat(Wire.faultyFields(faulty))
        .containsExactlyInAnyOrder("run_id", "request_id", "input", "task_queue");
  }

  /** reserve was completed, charge has failed for good. */
  private String failed() {
    String runId = worker.start();
    Task task = worker.claim();
    completeStep(task, "reserve", 1, 1);
    var unused =
        worker
            .client()
            .failStep(
                FailStepRequest.newBuilder()
                    .setRunId(task.getRunId())
                    .setLeaseEpoch(task.getLeaseEpoch())
                    .setWorkerId(worker.workerId())
                    .setStep(aStep("charge").setSeq(2))
                    .setNonRetryable(true)
                    .build());
    var ended =
        worker.client().fail(fail(task, worker.workerId()).setFailedStepKey("charge").build());
    assertThat(ended.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
    return runId;
  }

  private void completeStep(Task task, String key, int attempt, int seq) {
    CompleteStepRequest request =
        Wire.completeStep(task, worker.workerId(), key, "\"" + key + "\"").toBuilder()
            .setStep(aStep(key).setAttempt(attempt).setSeq(seq))
            .build();
    var unused = worker.client().completeStep(request);
  }

  private static RetryWorkflowRequest.Builder aRetry(String runId) {
    return RetryWorkflowRequest.newBuilder().setRunId(runId);
  }

  private static RetryWorkflowResponse retry(RetryWorkflowRequest.Builder request) {
    return server.workflows().retryWorkflow(request.build());
  }

  private static ForkWorkflowRequest.Builder aFork(String runId) {
    return ForkWorkflowRequest.newBuilder().setRunId(runId);
  }

  private static ForkWorkflowResponse fork(ForkWorkflowRequest.Builder request) {
    return server.workflows().forkWorkflow(request.build());
  }
}
