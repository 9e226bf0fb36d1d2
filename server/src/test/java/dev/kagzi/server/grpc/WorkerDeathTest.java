package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens when the calls of a worker end, one way or the other. */
class WorkerDeathTest {

  private static final Duration GRACE = Duration.ofMillis(800);

  private static TestServer server;
  private String queue;

  @BeforeAll
  static void startServer() {
    server = TestServer.start(settings -> settings.set(ConfigKeys.WORKER_SUSPECT_GRACE, GRACE));
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void takeAQueue() {
    queue = "queue-" + UUID.randomUUID();
  }

  private String register() {
    return server.workers().register(aWorker().setTaskQueue(queue).build()).getWorkerId();
  }

  private String start() {
    return server.workflows().startWorkflow(aStart().setTaskQueue(queue).build()).getRunId();
  }

  private PollTaskRequest.Builder poll(String worker) {
    return aPoll(worker).setTaskQueue(queue);
  }

  private static WorkflowRun get(String runId) {
    return server
        .workflows()
        .getWorkflow(GetWorkflowRequest.newBuilder().setRunId(runId).build())
        .getRun();
  }

  private static WorkCall.Builder call(PollTaskRequest.Builder poll) {
    return WorkCall.newBuilder().setPollTask(poll);
  }

  private static boolean isOnline(String worker) {
    try {
      return server
          .workers()
          .heartbeat(HeartbeatRequest.newBuilder().setWorkerId(worker).build())
          .getAccepted();
    } catch (StatusRuntimeException unknown) {
      return false;
    }
  }

  @Test
  void theRunOfAWorkerWhoseStreamBrokeGoesToAnother() {
    String dead = register();
    String heir = register();
    String runId = start();
    var stream = WorkStreamClient.open(server.channel(), dead);
    Task lost = stream.call(call(poll(dead))).getPollTask().getTasks(0);

    stream.breakOff();

    Task taken = server.workers().pollTask(poll(heir).build()).getTasks(0);
    assertThat(taken.getRunId()).isEqualTo(runId);
    assertThat(taken.getLeaseEpoch()).isGreaterThan(lost.getLeaseEpoch());
    assertThat(isOnline(dead)).isFalse();
    assertThat(get(runId).getCrashes()).isEqualTo(1);
  }

  @Test
  void theRunOfAWorkerWhosePollBrokeGoesToAnother() {
    String dead = register();
    String heir = register();
    start();
    ManagedChannel connection = server.newChannel();
    var stub = WorkerServiceGrpc.newBlockingStub(connection);
    assertThat(stub.pollTask(poll(dead).build()).getTasksCount()).isEqualTo(1);
    var waiting = WorkerServiceGrpc.newFutureStub(connection).pollTask(poll(dead).build());
    assertThat(waiting.isDone()).isFalse();
    // A reply on the same connection shows that the poll before it has arrived.
    stub.pollTask(poll(dead).setWait(seconds(0)).build());

    connection.shutdownNow();

    assertThat(server.workers().pollTask(poll(heir).build()).getTasksCount()).isEqualTo(1);
    assertThat(isOnline(dead)).isFalse();
  }

  @Test
  void aWorkerThatComesBackInTimeKeepsItsRun() {
    String worker = register();
    String runId = start();
    var stream = WorkStreamClient.open(server.channel(), worker);
    Task task = stream.call(call(poll(worker))).getPollTask().getTasks(0);

    stream.breakOff();
    var again = WorkStreamClient.open(server.channel(), worker);
    isOnline(worker);

    await()
        .during(GRACE.plusMillis(300))
        .atMost(Duration.ofSeconds(5))
        .until(() -> get(runId).getStatus() == WorkflowStatus.WORKFLOW_STATUS_RUNNING);
    var step = WorkCall.newBuilder().setCompleteStep(completeStep(task, worker, "charge", "1"));
    assertThat(again.call(step).hasCompleteStep()).isTrue();
    again.halfClose();
  }

  @Test
  void aStreamThatIsHalfClosedEndsInGoodOrder() {
    String worker = register();
    var stream = WorkStreamClient.open(server.channel(), worker);
    String runId = start();
    stream.call(call(poll(worker)));
    stream.sendAll(List.of(call(poll(worker))));

    stream.halfClose();

    assertThat(stream.end()).isEqualTo(Status.OK);
    await()
        .during(GRACE.plusMillis(300))
        .atMost(Duration.ofSeconds(5))
        .until(() -> get(runId).getStatus() == WorkflowStatus.WORKFLOW_STATUS_RUNNING);
  }

  @Test
  void aPollThatWasCancelledTakesNothing() {
    String gone = register();
    String present = register();
    var stream = WorkStreamClient.open(server.channel(), gone);
    stream.sendAll(List.of(call(poll(gone))));
    // Replies are not ordered, but a later frame is read only after the poll was taken up.
    stream.call(call(poll(gone).setWait(seconds(0))));
    stream.breakOff();

    String runId = start();

    assertThat(server.workers().pollTask(poll(present).build()).getTasks(0))
        .matches(task -> task.getRunId().equals(runId));
    assertThat(get(runId).getCrashes()).isZero();
  }

  @Test
  void repliesThatCouldNotBeSentAreGivenBack() {
    String deaf = register();
    List<String> runs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      runs.add(
          server
              .workflows()
              .startWorkflow(
                  aStart().setTaskQueue(queue).setInput(json("1".repeat(900_000))).build())
              .getRunId());
    }
    var stream = WorkStreamClient.openDeaf(server.newChannel(), deaf);
    stream.sendAll(IntStream.range(0, 6).mapToObj(i -> call(poll(deaf))).toList());
    await().until(() -> runs.stream().allMatch(WorkerDeathTest::isRunning));

    stream.breakOff();

    // More than the connection buffers was held back in the server, and is nobody's crash.
    await().until(() -> runs.stream().anyMatch(WorkerDeathTest::isFreeWithoutACrash));
  }

  private static boolean isRunning(String runId) {
    return get(runId).getStatus() == WorkflowStatus.WORKFLOW_STATUS_RUNNING;
  }

  private static boolean isFreeWithoutACrash(String runId) {
    WorkflowRun run = get(runId);
    return run.getStatus() == WorkflowStatus.WORKFLOW_STATUS_PENDING && run.getCrashes() == 0;
  }

  @Test
  void aStreamMustBeginWithAHello() {
    var silent = WorkStreamClient.openSilently(server.channel());
    silent.sendAll(List.of(call(poll(register()))));
    var nobody = WorkStreamClient.open(server.channel(), "nobody");
    var twice = WorkStreamClient.open(server.channel(), register());
    twice.send(WorkRequest.newBuilder().setHello(WorkStreamClient.hello(register())).build());

    assertThat(List.of(silent.end(), nobody.end(), twice.end()))
        .extracting(Status::getCode)
        .containsOnly(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void thousandsOfCallsOnOneStreamAreAllAnswered() {
    String worker = register();
    start();
    var stream = WorkStreamClient.open(server.channel(), worker);
    Task task = stream.call(call(poll(worker))).getPollTask().getTasks(0);
    List<CompletableFuture<WorkReply>> replies = new ArrayList<>();
    for (int frame = 0; frame < 6; frame++) {
      int from = frame * 500;
      replies.addAll(
          stream.sendAll(
              IntStream.range(from, from + 500)
                  .mapToObj(i ->
                      WorkCall.newBuilder()
                          .setCompleteStep(completeStep(task, worker, "step-" + i, "1")))
                  .toList()));
    }

    assertThat(replies).extracting(stream::replyOf).allMatch(WorkReply::hasCompleteStep);
    stream.halfClose();
    assertThat(stream.end()).isEqualTo(Status.OK);
  }
}
