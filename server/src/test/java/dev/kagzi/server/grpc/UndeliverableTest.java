package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.StepOutcome;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers that do not reach their caller. */
class UndeliverableTest {

  /** What a connection takes before its reader reads. */
  private static final int NARROW_BYTES = 64 * 1024;

  private static final String LARGE = "1".repeat(2_000_000);

  /** So long that nothing here can be the work of a suspicion. */
  private static final Duration GRACE = Duration.ofSeconds(60);

  private static TestServer server;
  private static ManagedChannel narrow;

  @BeforeAll
  static void startServer() {
    server =
        TestServer.start(settings ->
            settings
                .set(ConfigKeys.WORKER_VISIBILITY_TIMEOUT, Duration.ofMinutes(5))
                .set(ConfigKeys.WORKER_SUSPECT_GRACE, GRACE));
    narrow =
        NettyChannelBuilder.forAddress("127.0.0.1", server.server().grpcPort())
            .usePlaintext()
            .flowControlWindow(NARROW_BYTES)
            .build();
  }

  @AfterAll
  static void stopServer() {
    narrow.shutdownNow();
    server.close();
  }

  /** On a stream it is the replies that still queue; see {@link WorkerDeathTest}. */
  @Test
  void aRunWhoseWorkerHungUpBeforeTheReplyIsFreeAtOnceAndHasNotCrashed() {
    String queue = "queue-" + UUID.randomUUID();
    try (var heir = new WorkerFixture(server, Transport.UNARY, queue);
        var gone = new WorkerFixture(server, Transport.UNARY, queue)) {
      String runId =
          server
              .workflows()
              .startWorkflow(aStart().setTaskQueue(queue).setInput(json(LARGE)).build())
              .getRunId();
      ClientCall<PollTaskRequest, PollTaskResponse> call = pollDeaf(gone.poll().build());
      await().until(() -> heir.get(runId).getStatus() == WorkflowStatus.WORKFLOW_STATUS_RUNNING);

      call.cancel("the worker is gone", null);

      Task taken = heir.claim();
      WorkflowRun run = heir.get(runId);
      assertThat(taken.getRunId()).isEqualTo(runId);
      assertThat(taken.getLeaseEpoch()).isEqualTo(2);
      assertThat(run.getWorkerId()).isEqualTo(heir.workerId());
      assertThat(run.getCrashes()).isZero();
    }
  }

  /** Polls without reading the reply, most of which stays in the server. */
  private ClientCall<PollTaskRequest, PollTaskResponse> pollDeaf(PollTaskRequest poll) {
    ClientCall<PollTaskRequest, PollTaskResponse> call =
        narrow.newCall(WorkerServiceGrpc.getPollTaskMethod(), CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.sendMessage(poll);
    call.halfClose();
    return call;
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsTooLargeIsRefusedAndHarmsNoOtherCall(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      String id = worker.workerId();
      var suspend =
          SuspendRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(id);
      for (String key : List.of("first", "second", "third")) {
        worker.client().completeStep(completeStep(task, id, key, LARGE));
        suspend.addWaits(
            Wait.newBuilder()
                .setStep(aStep(key))
                .setKind(WaitKind.WAIT_KIND_RETRY)
                .setDuration(seconds(60)));
      }

      assertThat(refusalOf(() -> worker.client().suspend(suspend.build())))
          .isEqualTo("FAILED_PRECONDITION REPLY_TOO_LARGE");
      assertThat(worker.client().completeStep(completeStep(task, id, "fourth", "1")).getOutcome())
          .isEqualTo(StepOutcome.STEP_OUTCOME_RECORDED);
    }
  }
}
