package dev.kagzi.sdk.client;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.WorkflowNotFoundException;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.RetryPredicate;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client says about failure, before and after it happens. */
class FailureClientTest {

  private static final String TYPE = "order";

  private final FakeServer server = FakeServer.inProcess();
  private final KagziClient client = KagziClient.connect(server.address());

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void sendsWhatTheStartSaysAboutFailure() {
    client
        .start(TYPE)
        .retry(Retry.forever("2s").onlyOn(ErrorKind.TIMEOUT))
        .timeout("1h")
        .stepTimeout(Duration.ofSeconds(30))
        .deadline(Instant.ofEpochSecond(5_000_000_000L))
        .onFailure("clean-up", "elsewhere")
        .send();

    StartWorkflowRequest request = received(StartWorkflowRequest.class);
    assertThat(request.getRetryPolicy().getMaximumAttempts()).isEqualTo(-1);
    assertThat(request.getRetryPolicy().hasJitter()).isFalse();
    assertThat(request.getRetryPolicy().hasMaximumInterval()).isFalse();
    assertThat(request.getRetryPolicy().getPredicate())
        .isEqualTo(RetryPredicate.RETRY_PREDICATE_ON_ERROR_KIND);
    assertThat(request.getTimeouts().getExecutionTimeout().getSeconds()).isEqualTo(3600);
    assertThat(request.getTimeouts().getStartToCloseTimeout().getSeconds()).isEqualTo(30);
    assertThat(request.getDeadlineAt().getSeconds()).isEqualTo(5_000_000_000L);
    assertThat(request.getOnFailureWorkflow()).isEqualTo("clean-up");
    assertThat(request.getOnFailureTaskQueue()).isEqualTo("elsewhere");
  }

  @Test
  void saysNothingAboutFailureUnlessAsked() {
    client.start(TYPE).onFailure("clean-up").send();

    StartWorkflowRequest request = received(StartWorkflowRequest.class);
    assertThat(request.hasRetryPolicy()).isFalse();
    assertThat(request.hasTimeouts()).isFalse();
    assertThat(request.hasDeadlineAt()).isFalse();
    assertThat(request.getOnFailureTaskQueue()).isEmpty();
  }

  @Test
  void refusesLimitsThatMakeNoSense() {
    assertThatThrownBy(() -> client.start(TYPE).timeout("0s"))
        .hasMessage("timeout: PT0S (expected: > 0)");
    assertThatThrownBy(() -> client.start(TYPE).stepTimeout("-1s"))
        .hasMessage("stepTimeout: PT-1S (expected: > 0)");
  }

  @Test
  void sendsAFailedRunBackToWorkOnce() {
    WorkflowHandle<WorkflowResult> handle = client.start(TYPE).send();
    handle.cancel();
    server.faults().loseReplyOnce("RetryWorkflow");

    assertThat(handle.retry("gateway was down")).isFalse();

    List<RetryWorkflowRequest> sent = server.calls().received(RetryWorkflowRequest.class);
    assertThat(sent).hasSize(2).allMatch(request -> request.hasExpectedRetries());
    assertThat(sent.getFirst().getReason()).isEqualTo("gateway was down");
    assertThat(sent.getFirst().getExpectedRetries()).isZero();
  }

  @Test
  void saysWhetherTheRunWasSentBack() {
    WorkflowHandle<WorkflowResult> handle = client.start(TYPE).send();
    handle.cancel();

    assertThat(handle.retry()).isTrue();
    assertThat(handle.retry()).isFalse();
    assertThatThrownBy(() -> client.handle("nobody").retry())
        .isInstanceOf(WorkflowNotFoundException.class);
  }

  @Test
  void saysWhyARunCannotGoOn() {
    WorkflowHandle<WorkflowResult> handle = client.start(TYPE).send();
    server
        .faults()
        .refuseOnce(
            "RetryWorkflow", Refusals.refusal(Status.Code.FAILED_PRECONDITION, "COMPENSATED"));

    assertThatThrownBy(handle::retry)
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo("COMPENSATED"));
  }

  @Test
  void forksOnceFromAStep() {
    WorkflowHandle<WorkflowResult> handle = client.start(TYPE).send();
    server.faults().loseReplyOnce("ForkWorkflow");

    WorkflowHandle<WorkflowResult> fork = handle.forkFrom("charge#2");

    List<ForkWorkflowRequest> sent = server.calls().received(ForkWorkflowRequest.class);
    assertThat(sent).hasSize(2).allMatch(request -> request.getFromStepKey().equals("charge#2"));
    assertThat(sent.get(0).getRequestId()).isEqualTo(sent.get(1).getRequestId());
    assertThat(fork.runId()).isEqualTo(sent.getFirst().getRequestId()).isNotEqualTo(handle.runId());
  }

  @Test
  void terminatesWithoutUndoing() {
    WorkflowHandle<WorkflowResult> handle = client.start(TYPE).send();

    assertThat(handle.terminate("at once")).isEqualTo(CancelOutcome.CANCELLED);

    CancelWorkflowRequest request = received(CancelWorkflowRequest.class);
    assertThat(request.getTerminate()).isTrue();
    assertThat(request.getReason()).isEqualTo("at once");
  }

  @Test
  void registersTheHandlerOfTheNamespace() {
    List<String> told = new CopyOnWriteArrayList<>();
    try (Worker worker =
        Worker.builder(server.address(), "queue")
            .onAnyFailure((ctx, event) -> {
              told.add(event.failedRunId() + " " + event.error().kind());
              return null;
            })
            .build()) {
      worker.start();
      String handler =
          server
              .runs()
              .start(
                  "__kagzi_failure_handler",
                  """
                  {"failedRunId":"r-1","error":{"kind":"ERROR_KIND_TIMEOUT"},"attempts":1}
                  """);
      until(() -> server.runs().isFinished(handler));
    }

    assertThat(told).containsExactly("r-1 TIMEOUT");
  }

  private <Q> Q received(Class<Q> request) {
    return server.calls().received(request).getFirst();
  }
}
