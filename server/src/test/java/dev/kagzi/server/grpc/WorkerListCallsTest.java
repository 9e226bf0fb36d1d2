package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerEvent;
import dev.kagzi.v1.WorkerEventType;
import dev.kagzi.v1.WorkerStatus;
import dev.kagzi.v1.WorkflowRun;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkerListCallsTest {

  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void aWorkerIsListedWithAllItSaidOfItself() {
    String queue = "queue-" + UUID.randomUUID();
    var said =
        aWorker()
            .setTaskQueue(queue)
            .setBuildVersion("1.4.2")
            .putLabels("zone", "b")
            .setSdkName("kagzi-java")
            .setSdkVersion("0.1.0")
            .setRuntime("Java 25")
            .build();
    String id = server.workers().register(said).getWorkerId();
    server
        .workers()
        .heartbeat(
            HeartbeatRequest.newBuilder()
                .setWorkerId(id)
                .setBeatId(1)
                .setActiveCount(2)
                .setCompletedDelta(3)
                .setFailedDelta(1)
                .build());

    var listed =
        server
            .admin()
            .listWorkers(
                ListWorkersRequest.newBuilder()
                    .setTaskQueue(queue)
                    .addStatuses(WorkerStatus.WORKER_STATUS_ONLINE)
                    .setIncludeTotalCount(true)
                    .build());

    assertThat(listed.getPage().getTotalCount()).isEqualTo(1);
    Worker worker = listed.getWorkers(0);
    assertThat(worker.getWorkerId()).isEqualTo(id);
    assertThat(worker.getNamespace()).isEqualTo("default");
    assertThat(worker.getHostname()).isEqualTo("test-host");
    assertThat(worker.getPid()).isEqualTo(1);
    assertThat(worker.getInstanceId()).isEqualTo(said.getInstanceId());
    assertThat(worker.getBuildVersion()).isEqualTo("1.4.2");
    assertThat(worker.getSdkName()).isEqualTo("kagzi-java");
    assertThat(worker.getSdkVersion()).isEqualTo("0.1.0");
    assertThat(worker.getRuntime()).isEqualTo("Java 25");
    assertThat(worker.getLabelsMap()).containsEntry("zone", "b");
    assertThat(worker.getWorkflowTypesList()).isEqualTo(said.getTypesList());
    assertThat(worker.getMaxConcurrent()).isEqualTo(10);
    assertThat(worker.getActiveCount()).isEqualTo(2);
    assertThat(worker.getTotalCompleted()).isEqualTo(3);
    assertThat(worker.getTotalFailed()).isEqualTo(1);
    assertThat(worker.getHealth()).isEqualTo(HealthStatus.HEALTH_STATUS_HEALTHY);
    assertThat(worker.hasDeregisteredAt()).isFalse();
  }

  @Test
  void aWorkerThatRegistersNoTypesIsRefused() {
    assertThat(refusalOf(() -> server.workers().register(aWorker().clearTypes().build())))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
  }

  @Test
  void aDrainedWorkerIsToldWhenItPollsAndFinishesWhatItHolds() {
    try (var fixture = new WorkerFixture(server, Transport.UNARY)) {
      String runId = fixture.start();
      Task task = fixture.claim();
      fixture.start();

      var drained = drain(fixture.workerId(), false);
      var again = drain(fixture.workerId(), false);

      assertThat(drained.getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_DRAINING);
      assertThat(drained.getHealth()).isEqualTo(HealthStatus.HEALTH_STATUS_DEGRADED);
      assertThat(again.getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_DRAINING);
      var poll = server.workers().pollTask(fixture.poll().setWait(seconds(0)).build());
      assertThat(poll.getShouldDrain()).isTrue();
      assertThat(poll.getTasksList()).isEmpty();
      GetWorkerResponse shown = get(fixture.workerId());
      assertThat(shown.getRunsList()).extracting(WorkflowRun::getRunId).containsExactly(runId);
      assertThat(shown.getEventsList())
          .extracting(WorkerEvent::getType)
          .containsExactly(
              WorkerEventType.WORKER_EVENT_TYPE_STOPPING,
              WorkerEventType.WORKER_EVENT_TYPE_STARTED);
      assertThat(shown.getEvents(0).getMessage()).isEqualTo("operator: deploy");
      server.workers().completeWorkflow(complete(task, fixture.workerId(), "1"));
      assertThat(fixture.get(runId).getCrashes()).isZero();
    }
  }

  @Test
  void aWorkerThatIsTakenOfflineCanWriteNoMore() {
    try (var fixture = new WorkerFixture(server, Transport.UNARY)) {
      String runId = fixture.start();
      Task task = fixture.claim();

      var offline = drain(fixture.workerId(), true);

      assertThat(offline.getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_OFFLINE);
      assertThat(offline.getHealth()).isEqualTo(HealthStatus.HEALTH_STATUS_UNHEALTHY);
      assertThat(offline.hasDeregisteredAt()).isTrue();
      assertThat(drain(fixture.workerId(), true)).isEqualTo(offline);
      assertThat(drain(fixture.workerId(), false)).isEqualTo(offline);
      assertThat(
              refusalOf(
                  () -> server.workers().completeWorkflow(complete(task, fixture.workerId(), "1"))))
          .isEqualTo("ABORTED LEASE_LOST");
      assertThat(
              refusalOf(() ->
                  server.workers().pollTask(aPoll(fixture.workerId()).setWait(seconds(0)).build())))
          .isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
      assertThat(fixture.get(runId).getCrashes()).isZero();
    }
  }

  @Test
  void aWorkerThatNobodyKnowsIsNotFound() {
    String nobody = UUID.randomUUID().toString();

    assertThat(refusalOf(() -> get(nobody))).isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
    assertThat(refusalOf(() -> drain(nobody, false))).isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
    assertThat(refusalOf(() -> drain(nobody, true))).isEqualTo("NOT_FOUND WORKER_NOT_FOUND");
  }

  private GetWorkerResponse get(String worker) {
    return server.admin().getWorker(GetWorkerRequest.newBuilder().setWorkerId(worker).build());
  }

  private Worker drain(String worker, boolean force) {
    return server
        .admin()
        .drainWorker(
            DrainWorkerRequest.newBuilder()
                .setWorkerId(worker)
                .setForce(force)
                .setReason("deploy")
                .build())
        .getWorker();
  }
}
