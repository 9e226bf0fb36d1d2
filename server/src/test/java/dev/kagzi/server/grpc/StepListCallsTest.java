package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.beginStep;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.GetStepRequest;
import dev.kagzi.v1.GetStepResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.Task;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is shown of steps besides their outcomes. */
class StepListCallsTest {

  private static final String LARGEST = "1".repeat(2 * 1024 * 1024);

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  private static GetStepResponse get(String runId, String key) {
    return server
        .admin()
        .getStep(GetStepRequest.newBuilder().setRunId(runId).setStepKey(key).build());
  }

  private static List<Step> list(String runId, boolean payloads) {
    return server
        .admin()
        .listSteps(
            ListStepsRequest.newBuilder().setRunId(runId).setIncludePayloads(payloads).build())
        .getStepsList();
  }

  private static CompleteStepRequest calledWith(
      Task task, WorkerFixture worker, String key, String input, String output) {
    return completeStep(task, worker.workerId(), key, output).toBuilder()
        .setStep(aStep(key).setInput(json(input)))
        .build();
  }

  private static FailStepRequest.Builder failed(Task task, WorkerFixture worker, String key) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker.workerId())
        .setStep(aStep(key).setSeq(3).setInput(json("[3]")));
  }

  @Test
  void whatAStepWasCalledWithIsShownToWhoeverAsksForPayloads() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      Task task = worker.claim();
      worker.client().completeStep(calledWith(task, worker, "charge", "[7, \"EUR\"]", "1"));
      worker.client().completeStep(completeStep(task, worker.workerId(), "closure", "2"));
      worker.client().failStep(failed(task, worker, "ship").build());

      assertThat(get(runId, "charge").getStep().getInput().getJson()).isEqualTo("[7, \"EUR\"]");
      assertThat(get(runId, "closure").getStep().hasInput()).isFalse();
      assertThat(get(runId, "ship").getAttempts(0).getInput().getJson()).isEqualTo("[3]");
      assertThat(list(runId, true))
          .extracting(step -> step.getInput().getJson())
          .containsExactly("[7, \"EUR\"]", "", "[3]");
      assertThat(list(runId, false)).hasSize(3).noneMatch(Step::hasInput);
      assertThat(get(fork(runId, "ship"), "charge").getStep().getInput().getJson())
          .isEqualTo("[7, \"EUR\"]");
    }
  }

  @Test
  void attemptsThatWereCalledWithTheSameAreToldWithoutTheirPayloads() throws Exception {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      Task task = worker.claim();
      worker.client().failStep(shipping(task, worker, 1, "[3]"));
      worker.client().failStep(shipping(task, worker, 2, "[3]"));
      worker.client().failStep(shipping(task, worker, 3, "[4]"));
      worker.client().completeStep(completeStep(task, worker.workerId(), "closure", "2"));
      worker.client().beginStep(beginStep(task, worker.workerId(), "running"));

      List<Step> all = listAll(runId);

      assertThat(all).noneMatch(Step::hasInput);
      assertThat(hashesOf(all, "ship"))
          .containsExactly(sha256("[3]"), sha256("[3]"), sha256("[4]"));
      assertThat(hashesOf(all, "closure")).containsExactly("");
      assertThat(hashesOf(all, "running")).containsExactly("");
      assertThat(hashesOf(list(runId, true), "ship")).containsExactly(sha256("[4]"));
      assertThat(get(runId, "ship").getStep().getInputHash()).isEqualTo(sha256("[4]"));
    }
  }

  private static FailStepRequest shipping(
      Task task, WorkerFixture worker, int attempt, String input) {
    return failed(task, worker, "ship")
        .setStep(aStep("ship").setAttempt(attempt).setInput(json(input)))
        .setRetryPolicy(RetryPolicy.newBuilder().setMaximumAttempts(5))
        .build();
  }

  private static List<Step> listAll(String runId) {
    return server
        .admin()
        .listSteps(ListStepsRequest.newBuilder().setRunId(runId).setAllAttempts(true).build())
        .getStepsList();
  }

  private static List<String> hashesOf(List<Step> steps, String key) {
    return steps.stream()
        .filter(step -> step.getStepKey().equals(key))
        .map(Step::getInputHash)
        .toList();
  }

  private static String sha256(String text) throws NoSuchAlgorithmException {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(hash);
  }

  private static String fork(String runId, String step) {
    return server
        .workflows()
        .forkWorkflow(ForkWorkflowRequest.newBuilder().setRunId(runId).setFromStepKey(step).build())
        .getRunId();
  }

  @Test
  void thePolicyOfFailedAndRunningAttemptsIsShown() {
    RetryPolicy five = RetryPolicy.newBuilder().setMaximumAttempts(5).build();
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      Task task = worker.claim();
      worker.client().completeStep(completeStep(task, worker.workerId(), "done", "1"));
      worker
          .client()
          .beginStep(
              beginStep(task, worker.workerId(), "running").toBuilder()
                  .setRetryPolicy(five)
                  .build());
      worker.client().failStep(failed(task, worker, "ship").setRetryPolicy(five).build());

      assertThat(list(runId, false))
          .extracting(step -> step.getRetryPolicy().getMaximumAttempts())
          .containsExactly(0, 5, 5);
      assertThat(get(runId, "ship").getStep().getRetryPolicy().hasInitialInterval()).isTrue();
    }
  }

  @Test
  void theLargestPayloadsOfAStepAreShownAndNoneThatAreLarger() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      Task task = worker.claim();
      var beyond = calledWith(task, worker, "beyond", LARGEST + "1", "1");
      worker.client().completeStep(calledWith(task, worker, "input", LARGEST, "1"));
      worker.client().completeStep(completeStep(task, worker.workerId(), "output", LARGEST));

      assertThat(get(runId, "input").getStep().getInput().getJson()).isEqualTo(LARGEST);
      assertThat(get(runId, "input").getAttempts(0).getInputHash()).hasSize(64);
      assertThat(get(runId, "output").getStep().getOutput().getJson()).isEqualTo(LARGEST);
      assertThat(get(runId, "output").getAttempts(0).hasOutput()).isFalse();
      assertThat(refusalOf(() -> worker.client().completeStep(beyond)))
          .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    }
  }
}
