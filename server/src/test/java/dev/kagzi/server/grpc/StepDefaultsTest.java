package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server is configured to say about steps is told, and used where workers say nothing. */
class StepDefaultsTest {

  private static final String QUEUE = "defaults";

  private final TestServer server =
      TestServer.start(settings ->
          settings
              .set(ConfigKeys.RETRY_MAXIMUM_ATTEMPTS, 2)
              .set(ConfigKeys.RETRY_INITIAL_INTERVAL, Duration.ofSeconds(7))
              .set(ConfigKeys.RETRY_BACKOFF_COEFFICIENT, 3.5)
              .set(ConfigKeys.RETRY_MAXIMUM_INTERVAL, Duration.ofSeconds(11))
              .set(ConfigKeys.RETRY_JITTER, 0.0)
              .set(ConfigKeys.STEP_TIMEOUT, Duration.ofSeconds(42)));

  @AfterEach
  void stop() {
    server.close();
  }

  private static FailStepRequest.Builder failStep(
      Task task, WorkerFixture worker, String key, int attempt) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker.workerId())
        .setStep(aStep(key).setAttempt(attempt));
  }

  @Test
  void areToldToWorkersAndToWhoeverAsks() {
    var terms = server.workers().register(aWorker().build());
    var info = server.admin().getServerInfo(GetServerInfoRequest.getDefaultInstance());

    RetryPolicy told = terms.getDefaultRetryPolicy();
    assertThat(told.getMaximumAttempts()).isEqualTo(2);
    assertThat(told.getInitialInterval()).isEqualTo(seconds(7));
    assertThat(told.getBackoffCoefficient()).isEqualTo(3.5);
    assertThat(told.getMaximumInterval()).isEqualTo(seconds(11));
    assertThat(told.hasJitter()).isTrue();
    assertThat(told.getJitter()).isZero();
    assertThat(terms.getDefaultStepTimeout()).isEqualTo(seconds(42));
    assertThat(info.getDefaultRetryPolicy()).isEqualTo(told);
    assertThat(info.getDefaultTimeouts().getStartToCloseTimeout()).isEqualTo(seconds(42));
    assertThat(info.getLimits()).isEqualTo(terms.getLimits());
    assertThat(info.getLimits().getMaxSteps()).isEqualTo(50_000);
  }

  @Test
  void fillWhatAWorkerLeavesOpen() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      worker.start();
      Task task = worker.claim();

      var first = worker.client().failStep(failStep(task, worker, "plain", 1).build());
      assertThat(first.getRetry().getDelay()).isEqualTo(seconds(7));
      assertThat(worker.client().failStep(failStep(task, worker, "plain", 2).build()).hasSettled())
          .isTrue();

      RetryPolicy patient = RetryPolicy.newBuilder().setMaximumAttempts(3).build();
      for (int attempt = 1; attempt <= 2; attempt++) {
        var answer =
            worker
                .client()
                .failStep(failStep(task, worker, "own", attempt).setRetryPolicy(patient).build());
        assertThat(answer.getRetry().getDelay()).isEqualTo(seconds(attempt == 1 ? 7 : 11));
      }
    }
  }

  @Test
  void fillWhatAStarterLeavesOpenInThePolicyOfTheRun() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      server
          .workflows()
          .startWorkflow(
              aStart()
                  .setTaskQueue(QUEUE)
                  .setRetryPolicy(RetryPolicy.newBuilder().setInitialInterval(seconds(1)))
                  .build());
      Task task = worker.claim();

      var answer = worker.client().fail(fail(task, worker.workerId()).build());
      assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
      var last = worker.client().fail(fail(worker.claim(), worker.workerId()).build());
      assertThat(last.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
    }
  }

  @Test
  void noWorkerRecordsMoreStepsThanARunMayHave() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      worker.start();
      Task task = worker.claim();
      var last = completeStep(task, worker.workerId(), "last", "1").toBuilder();
      last.getStepBuilder().setSeq(50_000);
      worker.client().completeStep(last.build());

      var beyond = completeStep(task, worker.workerId(), "beyond", "1").toBuilder();
      beyond.getStepBuilder().setSeq(50_001);
      assertThat(refusalOf(() -> worker.client().completeStep(beyond.build())))
          .isEqualTo("FAILED_PRECONDITION TOO_MANY_STEPS");
      var failing = failStep(task, worker, "beyond", 1);
      failing.getStepBuilder().setSeq(50_001);
      assertThat(refusalOf(() -> worker.client().failStep(failing.build())))
          .isEqualTo("FAILED_PRECONDITION TOO_MANY_STEPS");
    }
  }
}
