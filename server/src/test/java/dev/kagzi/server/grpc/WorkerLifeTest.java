package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.millis;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeldRun;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StopReason;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkflowStatus;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How workers come, get work, live and go, the same over unary calls and over a Work stream. */
class WorkerLifeTest {

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
  void refusesAPollOfAWorkerThatItDoesNotKnow(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      var stranger = worker.poll().setWorkerId(UUID.randomUUID().toString()).build();

      assertThat(refusalOf(() -> worker.client().poll(stranger)))
          .isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPollThatFindsNothingIsAnsweredEmpty(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      var answer = worker.client().poll(worker.poll().setWait(millis(100)).build());

      assertThat(answer.getTasksList()).isEmpty();
      assertThat(answer.getShouldDrain()).isFalse();
      assertThat(answer.hasEngineTime()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerThatDrainsGetsNothing(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      server
          .workers()
          .deregister(
              DeregisterRequest.newBuilder().setWorkerId(worker.workerId()).setDrain(true).build());

      var answer = worker.client().poll(worker.poll().build());

      assertThat(answer.getTasksList()).isEmpty();
      assertThat(answer.getShouldDrain()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPollServesOnlyTheTypesItNames(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      var other =
          worker
              .poll()
              .clearTypes()
              .addTypes(WorkflowTypeVersion.newBuilder().setWorkflowType("another"))
              .setWait(millis(100))
              .build();

      assertThat(worker.client().poll(other).getTasksList()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHeartbeatKeepsWhatIsHeldAndNamesWhatIsLost(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task lost = worker.claim();
      Task held = worker.takeOver(lost);
      var beat =
          HeartbeatRequest.newBuilder()
              .setWorkerId(worker.workerId())
              .addRuns(heldRun(lost))
              .setBeatId(1);

      assertThat(server.workers().heartbeat(beat.build()).getNews().getLostRunsList())
          .containsExactly(heldRun(lost));
      var kept = server.workers().heartbeat(beat.clearRuns().addRuns(heldRun(held)).build());
      assertThat(kept.getAccepted()).isTrue();
      assertThat(kept.getNews().getLostRunsList()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerThatLeavesHandsBackWhatItHeld(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();
      worker.claim();

      server
          .workers()
          .deregister(DeregisterRequest.newBuilder().setWorkerId(worker.workerId()).build());

      assertThat(worker.get(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
      assertThat(worker.get(runId).getCrashes()).isZero();
      assertThat(
              refusalOf(() ->
                  server
                      .workers()
                      .heartbeat(
                          HeartbeatRequest.newBuilder().setWorkerId(worker.workerId()).build())))
          .isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerHearsThatItsRunWasCancelled(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      String runId = worker.start();
      Task task = worker.claim();

      server.workflows().cancelWorkflow(CancelWorkflowRequest.newBuilder().setRunId(runId).build());

      assertThat(refusalOf(() -> worker.client().complete(complete(task, worker.workerId(), "1"))))
          .isEqualTo("FAILED_PRECONDITION RUN_CANCELLED");
      var news =
          server
              .workers()
              .heartbeat(
                  HeartbeatRequest.newBuilder()
                      .setWorkerId(worker.workerId())
                      .addRuns(heldRun(task))
                      .build())
              .getNews();
      assertThat(news.getStopsList())
          .extracting(stop -> stop.getReason())
          .containsExactly(StopReason.STOP_REASON_CANCELLED);
    }
  }

  @Test
  void aWorkerHearsOnItsStreamThatAWaitOfARunItHoldsHasEnded() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      var stream = WorkStreamClient.open(server.channel(), worker.workerId());
      worker.start();
      Task task = worker.claim();
      var paid =
          Wait.newBuilder()
              .setStep(aStep("paid").setKind(StepKind.STEP_KIND_EVENT))
              .setKind(WaitKind.WAIT_KIND_EVENT)
              .setEventName("paid");
      // Answered on the stream, so that the server knows whose it is.
      stream.call(
          WorkCall.newBuilder()
              .setSuspend(
                  SuspendRequest.newBuilder()
                      .setRunId(task.getRunId())
                      .setLeaseEpoch(task.getLeaseEpoch())
                      .setWorkerId(worker.workerId())
                      .addWaits(paid)));

      var unused =
          server
              .workflows()
              .sendEvent(
                  SendEventRequest.newBuilder()
                      .setRunId(task.getRunId())
                      .setEvent(Event.newBuilder().setName("paid").setPayload(json("7")))
                      .build());

      assertThat(stream.news())
          .isEqualTo(
              RunNews.newBuilder()
                  .setRunId(task.getRunId())
                  .setLeaseEpoch(task.getLeaseEpoch())
                  .addEndedStepKeys("paid")
                  .build());
      stream.halfClose();
    }
  }

  @Test
  void registrationTellsTheTerms() {
    RegisterResponse terms = server.workers().register(aWorker().build());

    assertThat(terms.getHeartbeatInterval().getSeconds()).isEqualTo(10);
    assertThat(terms.getLeaseDuration().getSeconds()).isEqualTo(30);
    assertThat(terms.getDefaultRetryPolicy().getMaximumAttempts()).isEqualTo(3);
    assertThat(terms.getDefaultStepTimeout().getSeconds()).isEqualTo(600);
    assertThat(terms.getLimits().getMaxPayloadBytes()).isEqualTo(2 * 1024 * 1024);
    assertThat(terms.hasEngineTime()).isTrue();
  }

  private static HeldRun heldRun(Task task) {
    return HeldRun.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .build();
  }
}
