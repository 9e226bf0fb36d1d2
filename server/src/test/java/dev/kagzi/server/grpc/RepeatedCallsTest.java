package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.beginStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.release;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.Wire.sleep;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import io.grpc.StatusRuntimeException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a worker hears that repeats its calls after the run has gone on without it. */
class RepeatedCallsTest {

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  /** What became of the run between the first call and its repetition. */
  enum Fate {
    LOST,
    COMPLETED,
    FAILED,
    CANCELLED
  }

  @ParameterizedTest
  @CsvSource({
    "UNARY, LOST, LEASE_LOST, LEASE_LOST, LEASE_LOST",
    "UNARY, COMPLETED, RUN_TERMINAL, COMPLETED, RUN_TERMINAL",
    "UNARY, FAILED, RUN_TERMINAL, RUN_TERMINAL, FAILED",
    "UNARY, CANCELLED, RUN_CANCELLED, RUN_CANCELLED, RUN_CANCELLED",
    "STREAM, LOST, LEASE_LOST, LEASE_LOST, LEASE_LOST",
    "STREAM, COMPLETED, RUN_TERMINAL, COMPLETED, RUN_TERMINAL",
    "STREAM, FAILED, RUN_TERMINAL, RUN_TERMINAL, FAILED",
    "STREAM, CANCELLED, RUN_CANCELLED, RUN_CANCELLED, RUN_CANCELLED"
  })
  void whatWasRecordedIsAnsweredAsTheFirstTimeAndTheRestWithItsReason(
      Transport transport, Fate fate, String writes, String completion, String failure) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      Map<String, Supplier<String>> recorded = recorded(worker, task);
      Map<String, String> first = answers(recorded);
      meet(worker, task, fate);

      assertThat(first)
          .isEqualTo(
              Map.of(
                  "CompleteStep", "RECORDED", "FailStep", "SETTLED", "FailStep again", "RETRY 2"));
      assertThat(answers(recorded)).isEqualTo(first);
      assertThat(answers(further(worker, task)).values()).containsOnly(writes);
      assertThat(answers(endings(worker, task)))
          .isEqualTo(
              Map.of(
                  "CompleteWorkflow", completion,
                  "FailWorkflow", failure,
                  "ReleaseTask", "NOT RELEASED"));
    }
  }

  private static void meet(WorkerFixture worker, Task task, Fate fate) {
    switch (fate) {
      case LOST -> worker.takeOver(task);
      case COMPLETED -> worker.client().complete(complete(task, worker.workerId(), "1"));
      case FAILED -> worker.client().fail(fail(task, worker.workerId()).build());
      case CANCELLED -> {
        var unused =
            server
                .workflows()
                .cancelWorkflow(
                    CancelWorkflowRequest.newBuilder().setRunId(task.getRunId()).build());
      }
    }
  }

  /** Calls that were answered while the run was held. */
  private static Map<String, Supplier<String>> recorded(WorkerFixture worker, Task task) {
    String id = worker.workerId();
    WorkerClient client = worker.client();
    Map<String, Supplier<String>> calls = new LinkedHashMap<>();
    calls.put(
        "CompleteStep",
        () ->
            client
                .completeStep(completeStep(task, id, "charge", "1"))
                .getOutcome()
                .name()
                .substring("STEP_OUTCOME_".length()));
    calls.put("FailStep", () -> words(client.failStep(failStep(task, id, "ship", true))));
    calls.put("FailStep again", () -> words(client.failStep(failStep(task, id, "pay", false))));
    return calls;
  }

  private static String words(FailStepResponse response) {
    return response.hasRetry()
        ? "RETRY " + response.getRetry().getNextAttempt()
        : response.getOutcomeCase().name();
  }

  /** Calls that come for the first time, too late. */
  private static Map<String, Supplier<String>> further(WorkerFixture worker, Task task) {
    String id = worker.workerId();
    WorkerClient client = worker.client();
    return Map.of(
        "BeginStep", () -> client.beginStep(beginStep(task, id, "late")).toString(),
        "CompleteStep", () -> client.completeStep(completeStep(task, id, "late", "1")).toString(),
        "FailStep", () -> client.failStep(failStep(task, id, "late", true)).toString(),
        "Sleep", () -> client.sleep(sleep(task, id, seconds(60))).toString(),
        "Suspend", () -> client.suspend(suspend(task, id)).toString());
  }

  private static Map<String, Supplier<String>> endings(WorkerFixture worker, Task task) {
    String id = worker.workerId();
    WorkerClient client = worker.client();
    return Map.of(
        "CompleteWorkflow",
            () -> status(client.complete(complete(task, id, "1")).getStatus().name()),
        "FailWorkflow", () -> status(client.fail(fail(task, id).build()).getStatus().name()),
        "ReleaseTask",
            () -> client.release(release(task, id)).getReleased() ? "RELEASED" : "NOT RELEASED");
  }

  private static String status(String name) {
    return name.substring("WORKFLOW_STATUS_".length());
  }

  private static Map<String, String> answers(Map<String, Supplier<String>> calls) {
    Map<String, String> answers = new LinkedHashMap<>();
    calls.forEach((name, call) -> answers.put(name, answer(call)));
    return answers;
  }

  private static String answer(Supplier<String> call) {
    try {
      return call.get();
    } catch (StatusRuntimeException refusal) {
      return Wire.errorInfo(refusal).getReason();
    }
  }

  private static FailStepRequest failStep(Task task, String worker, String key, boolean forGood) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(aStep(key))
        .setNonRetryable(forGood)
        .setError(ErrorDetail.newBuilder().setMessage("refused"))
        .build();
  }

  private static SuspendRequest suspend(Task task, String worker) {
    return SuspendRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .addWaits(
            Wait.newBuilder()
                .setStep(aStep("nap").setKind(StepKind.STEP_KIND_SLEEP))
                .setKind(WaitKind.WAIT_KIND_TIMER)
                .setDuration(seconds(60)))
        .build();
  }
}
