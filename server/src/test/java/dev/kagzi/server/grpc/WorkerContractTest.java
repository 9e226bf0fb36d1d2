package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.beginStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.millis;
import static dev.kagzi.server.Wire.release;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.Wire.sleep;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.ContinueAsNew;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepOutcome;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a worker may rely on when it reports, the same over unary calls and over a Work stream. */
@Order(1)
class WorkerContractTest {

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource
  void runsAWorkflowWithAStepAndASleepToItsEnd(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();

      Task first = worker.claim();
      assertThat(first.getRunId()).isEqualTo(runId);
      assertThat(first.getInput().getJson()).isEqualTo("{\"id\": 7}");
      assertThat(first.getHistoryList()).isEmpty();
      assertThat(worker.client().beginStep(beginStep(first, worker.workerId(), "charge")))
          .matches(answer -> answer.getShouldExecute() && answer.hasTimeoutAt());
      worker.client().completeStep(completeStep(first, worker.workerId(), "charge", "\"paid\""));
      var slept = worker.client().sleep(sleep(first, worker.workerId(), millis(150)));
      assertThat(slept.getReleased()).isTrue();

      Task second = worker.claim();
      assertThat(second.getLeaseEpoch()).isGreaterThan(first.getLeaseEpoch());
      assertThat(second.getHistoryList())
          .allMatch(item -> item.getSettled())
          .extracting(item -> item.getStepKey())
          .containsExactly("charge", "nap");
      assertThat(second.getHistory(0).getOutput().getJson()).isEqualTo("\"paid\"");
      worker.client().complete(complete(second, worker.workerId(), "\"done\""));

      WorkflowRun run = worker.get(runId);
      assertThat(run.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
      assertThat(run.getOutput().getJson()).isEqualTo("\"done\"");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSleepThatIsOverLetsTheWorkerGoOn(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();

      var slept = worker.client().sleep(sleep(task, worker.workerId(), millis(0)));

      assertThat(slept.getResume()).isTrue();
      assertThat(slept.getReleased()).isFalse();
      assertThat(slept.getWait().getEnded().getSettled()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsTheErrorThatARunFailedWith(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();
      Task task = worker.claim();
      var error =
          ErrorDetail.newBuilder()
              .setKind(ErrorKind.ERROR_KIND_NETWORK_ERROR)
              .setType("java.net.ConnectException")
              .setMessage("refused\0")
              .setCause(ErrorDetail.newBuilder().setMessage("deeper"));

      var answer =
          worker
              .client()
              .fail(
                  fail(task, worker.workerId()).setError(error).setFailedStepKey("charge").build());

      assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
      WorkflowRun run = worker.get(runId);
      assertThat(run.getError().getKind()).isEqualTo(ErrorKind.ERROR_KIND_NETWORK_ERROR);
      assertThat(run.getError().getMessage()).isEqualTo("refused ");
      assertThat(run.getError().getCause().getMessage()).isEqualTo("deeper");
      assertThat(run.getFailedStepKey()).isEqualTo("charge");
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersRepeatedCallsAsTheFirstTime(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      var step = completeStep(task, worker.workerId(), "charge", "1");
      var end = complete(task, worker.workerId(), "2");
      worker.client().completeStep(step);

      assertThat(worker.client().completeStep(step).getOutcome())
          .isEqualTo(StepOutcome.STEP_OUTCOME_RECORDED);
      assertThat(worker.client().complete(end)).isEqualTo(worker.client().complete(end));
      assertThat(worker.client().release(release(task, worker.workerId())).getReleased()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSleepThatIsRepeatedKeepsItsFirstTime(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      var request = sleep(task, worker.workerId(), seconds(300));

      var first = worker.client().sleep(request);

      assertThat(worker.client().sleep(request)).isEqualTo(first);
    }
  }

  @ParameterizedTest
  @EnumSource
  void showsTheRecordedResultToWhoeverComesSecond(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task lost = worker.claim();
      worker.client().completeStep(completeStep(lost, worker.workerId(), "charge", "\"first\""));
      Task held = worker.takeOver(lost);

      var answer =
          worker
              .client()
              .completeStep(completeStep(held, worker.workerId(), "charge", "\"second\""));

      assertThat(answer.getOutcome()).isEqualTo(StepOutcome.STEP_OUTCOME_ALREADY_SETTLED);
      assertThat(answer.getRecorded().getOutput().getJson()).isEqualTo("\"first\"");
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesEveryWriteOfAWorkerThatLostTheRun(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task lost = worker.claim();
      worker.takeOver(lost);
      String id = worker.workerId();

      assertThat(
              List.<Runnable>of(
                  () -> worker.client().beginStep(beginStep(lost, id, "charge")),
                  () -> worker.client().completeStep(completeStep(lost, id, "charge", "1")),
                  () -> worker.client().sleep(sleep(lost, id, millis(10))),
                  () -> worker.client().complete(complete(lost, id, "1")),
                  () -> worker.client().fail(fail(lost, id).build())))
          .extracting(WorkerFixture::refusalOf)
          .containsOnly("ABORTED LEASE_LOST");
      assertThat(worker.client().release(release(lost, id)).getReleased()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void tellsAWorkerThatTheRunHasEnded(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      worker.client().complete(complete(task, worker.workerId(), "1"));

      assertThat(
              refusalOf(() ->
                  worker.client().completeStep(completeStep(task, worker.workerId(), "late", "1"))))
          .isEqualTo("FAILED_PRECONDITION RUN_TERMINAL");
      assertThat(refusalOf(() -> worker.client().fail(fail(task, worker.workerId()).build())))
          .isEqualTo("FAILED_PRECONDITION RUN_TERMINAL");
    }
  }

  @ParameterizedTest
  @EnumSource
  void hidesRunsOfAnotherNamespace(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      var foreign =
          complete(task, worker.workerId(), "1").toBuilder().setNamespace("elsewhere").build();

      assertThat(refusalOf(() -> worker.client().complete(foreign)))
          .isEqualTo("NOT_FOUND RUN_NOT_FOUND");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRunThatGoesOnAsAnotherAnswersARepetitionWithTheSameSuccessor(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      var ending =
          complete(task, worker.workerId(), "1").toBuilder()
              .setContinueAsNew(ContinueAsNew.getDefaultInstance())
              .build();

      String successor = worker.client().complete(ending).getContinuedAsRunId();

      assertThat(successor).isNotEmpty().isNotEqualTo(task.getRunId());
      assertThat(worker.client().complete(ending).getContinuedAsRunId()).isEqualTo(successor);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFailedStepIsTriedAgainUntilItsBudgetIsUsedUp(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      var request =
          FailStepRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(worker.workerId())
              .setError(ErrorDetail.newBuilder().setType("Oops").setMessage("no"))
              .setRetryPolicy(RetryPolicy.newBuilder().setMaximumAttempts(2));

      var first = worker.client().failStep(request.setStep(aStep("charge")).build());
      var last = worker.client().failStep(request.setStep(aStep("charge").setAttempt(2)).build());

      assertThat(first.getRetry().getNextAttempt()).isEqualTo(2);
      assertThat(TimeMapper.toDuration(first.getRetry().getDelay())).isPositive();
      assertThat(last.getSettled().getSettled()).isTrue();
      assertThat(last.getSettled().getError().getType()).isEqualTo("Oops");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatAnOutcomeMakesPointlessIsCancelledWithIt(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      worker
          .client()
          .completeStep(
              completeStep(task, worker.workerId(), "winner", "1").toBuilder()
                  .addCancelled(aStep("loser").setParallelGroupId("race").setSeq(2))
                  .build());
      worker
          .client()
          .failStep(
              FailStepRequest.newBuilder()
                  .setRunId(task.getRunId())
                  .setLeaseEpoch(task.getLeaseEpoch())
                  .setWorkerId(worker.workerId())
                  .setStep(aStep("fails").setSeq(3))
                  .setError(ErrorDetail.newBuilder().setType("Oops").setMessage("no"))
                  .setRetryPolicy(RetryPolicy.newBuilder().setMaximumAttempts(1))
                  .addCancelled(aStep("sibling").setSeq(4))
                  .build());

      Task again = worker.takeOver(task);

      assertThat(again.getHistoryList())
          .allMatch(item -> item.getSettled())
          .extracting(item -> item.getStepKey() + " " + item.getStatus())
          .containsExactly(
              "winner STEP_STATUS_COMPLETED",
              "loser STEP_STATUS_CANCELLED",
              "fails STEP_STATUS_FAILED",
              "sibling STEP_STATUS_CANCELLED");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTimerCanBeRecordedWithoutGivingTheRunBack(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();
      Task task = worker.claim();
      var wait =
          Wait.newBuilder()
              .setStep(aStep("nap").setKind(StepKind.STEP_KIND_SLEEP))
              .setKind(WaitKind.WAIT_KIND_TIMER)
              .setDuration(seconds(300));

      var answer =
          worker
              .client()
              .suspend(
                  SuspendRequest.newBuilder()
                      .setRunId(task.getRunId())
                      .setLeaseEpoch(task.getLeaseEpoch())
                      .setWorkerId(worker.workerId())
                      .addWaits(wait)
                      .build());

      assertThat(answer.getReleased()).isFalse();
      assertThat(answer.getResume()).isFalse();
      assertThat(answer.getWaits(0).hasWakeAt()).isTrue();
      assertThat(worker.get(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_RUNNING);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLongHistoryIsReadPageByPage(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      for (int i = 0; i < 5; i++) {
        var step = completeStep(task, worker.workerId(), "step-" + i, "1".repeat(900_000));
        worker
            .client()
            .completeStep(step.toBuilder().setStep(step.getStep().toBuilder().setSeq(i)).build());
      }

      Task again = worker.takeOver(task);

      var keys = new ArrayList<String>();
      again.getHistoryList().forEach(item -> keys.add(item.getStepKey()));
      String token = again.getHistoryNextPageToken();
      assertThat(token).isNotEmpty();
      while (!token.isEmpty()) {
        var page =
            worker
                .client()
                .history(
                    GetHistoryRequest.newBuilder()
                        .setRunId(again.getRunId())
                        .setLeaseEpoch(again.getLeaseEpoch())
                        .setWorkerId(worker.workerId())
                        .setPageToken(token)
                        .build());
        page.getItemsList().forEach(item -> keys.add(item.getStepKey()));
        token = page.getNextPageToken();
      }
      assertThat(keys).containsExactly("step-0", "step-1", "step-2", "step-3", "step-4");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRunThatDoesNotMatchItsHistoryIsParked(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();
      Task task = worker.claim();
      var diverged =
          release(task, worker.workerId()).toBuilder()
              .setReason(ReleaseReason.RELEASE_REASON_NON_DETERMINISM)
              .setDivergence(Divergence.newBuilder().setExpectedStepKey("charge"))
              .build();

      assertThat(worker.client().release(diverged).getReleased()).isTrue();

      assertThat(worker.get(runId).getWaitReason())
          .isEqualTo(WaitReason.WAIT_REASON_NON_DETERMINISM);
    }
  }
}
