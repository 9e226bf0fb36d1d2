package dev.kagzi.sdk.worker;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.ReleaseTaskRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {

  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("tested", String.class, String.class);

  private final FakeServer server = FakeServer.inProcess();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final Workflow<String, String> hanging =
      (ctx, in) -> {
        ctx.step(
            "hang",
            () -> {
              began.countDown();
              release.await();
            });
        return in;
      };

  @AfterEach
  void tearDown() {
    release.countDown();
    server.close();
  }

  @Test
  void registersWithWhatItIs() {
    try (Worker worker =
        builder()
            .namespace("shop")
            .maxConcurrent(7)
            .hostname("pod-7")
            .version("1.2.3")
            .label("region", "eu")
            .register(TYPE, hanging)
            .register(TYPE, "2", hanging)
            .build()) {
      worker.start();

      assertThat(worker.workerId()).contains("worker-1");
      RegisterRequest request = received(RegisterRequest.class).getFirst();
      assertThat(request.getNamespace()).isEqualTo("shop");
      assertThat(request.getTaskQueue()).isEqualTo("queue");
      assertThat(request.getMaxConcurrent()).isEqualTo(7);
      assertThat(request.getHostname()).isEqualTo("pod-7");
      assertThat(request.getBuildVersion()).isEqualTo("1.2.3");
      assertThat(request.getLabelsMap()).containsEntry("region", "eu");
      assertThat(request.getPid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(request.getInstanceId()).isNotEmpty();
      assertThat(request.getTypesList())
          .extracting(type -> type.getWorkflowType() + "@" + type.getVersion())
          .containsExactly("tested@", "tested@2");
    }
  }

  @Test
  void asksForAsManyRunsAsItHasFreeSlots() throws InterruptedException {
    server.runs().start("tested", "\"in\"");
    try (Worker worker = builder().maxConcurrent(2).register(TYPE, hanging).build()) {
      worker.start();
      began.await();
      until(() -> received(PollTaskRequest.class).size() == 2);

      assertThat(received(PollTaskRequest.class))
          .extracting(PollTaskRequest::getMaxTasks)
          .containsExactly(2, 1);
      assertThat(worker.activeCount()).isEqualTo(1);
      release.countDown();
    }
  }

  @Test
  void finishesWhatItHoldsBeforeItStops() throws InterruptedException {
    server.workers().terms(Duration.ofMillis(20), Duration.ofSeconds(30));
    String runId = server.runs().start("tested", "\"in\"");
    Worker worker = builder().register(TYPE, hanging).build();
    worker.start();
    began.await();

    Thread stopping = Thread.ofVirtual().start(worker::stop);
    until(() -> !received(DeregisterRequest.class).isEmpty());
    int beats = received(HeartbeatRequest.class).size();
    until(() -> received(HeartbeatRequest.class).size() > beats + 2);
    String late = server.runs().start("tested", "\"late\"");
    release.countDown();
    stopping.join();

    assertThat(server.runs().isFinished(runId)).isTrue();
    assertThat(server.runs().isFinished(late)).isFalse();
    assertThat(received(DeregisterRequest.class))
        .extracting(DeregisterRequest::getDrain)
        .containsExactly(true, false);
    assertThat(server.workers().workers()).isEmpty();
  }

  @Test
  void handsBackWhatDoesNotEndInTime() throws InterruptedException {
    String runId = server.runs().start("tested", "\"in\"");
    Worker worker = builder().drainTimeout("10ms").register(TYPE, hanging).build();
    worker.start();
    began.await();

    worker.stop();

    ReleaseTaskRequest released = received(ReleaseTaskRequest.class).getFirst();
    assertThat(released.getRunId()).isEqualTo(runId);
    assertThat(released.getReason()).isEqualTo(ReleaseReason.RELEASE_REASON_SHUTDOWN);
    assertThat(server.runs().isFinished(runId)).isFalse();
    assertThat(worker.activeCount()).isZero();
  }

  @Test
  void drainsWhenTheServerAsksForIt() throws InterruptedException {
    server.workers().terms(Duration.ofMillis(20), Duration.ofSeconds(30));
    Worker worker = builder().register(TYPE, hanging).build();
    Thread running = Thread.ofVirtual().start(worker::run);
    until(() -> !received(HeartbeatRequest.class).isEmpty());

    server.workers().drainByHeartbeat();

    running.join();
    assertThat(server.workers().workers()).isEmpty();
  }

  @Test
  void handsBackWhatAPollStillBringsWhileItDrains() throws InterruptedException {
    server.runs().start("tested", "\"in\"");
    Worker worker = builder().register(TYPE, hanging).build();
    worker.start();
    began.await();
    until(() -> received(PollTaskRequest.class).size() == 2);

    Thread stopping = Thread.ofVirtual().start(worker::stop);
    until(() -> !received(DeregisterRequest.class).isEmpty());
    String late = server.runs().start("tested", "\"late\"");
    until(() -> !received(ReleaseTaskRequest.class).isEmpty());
    release.countDown();
    stopping.join();

    assertThat(received(ReleaseTaskRequest.class).getFirst().getRunId()).isEqualTo(late);
    assertThat(received(ReleaseTaskRequest.class).getFirst().getReason())
        .isEqualTo(ReleaseReason.RELEASE_REASON_UNDELIVERED);
  }

  @Test
  void waitsForAServerThatIsNotThereYet() {
    server.faults().unavailable("Register");
    try (Worker worker = builder().register(TYPE, hanging).build()) {
      worker.start();
      assertThat(worker.workerId()).isEmpty();
      assertThat(worker.isRegistered()).isFalse();

      server.faults().heal("Register");

      until(worker::isRegistered);
      assertThat(worker.workerId()).isPresent();
    }
  }

  @Test
  void saysWhyTheServerRefusesIt() {
    server
        .faults()
        .refuseAlways("Register", Refusals.refusal(Status.Code.NOT_FOUND, "NAMESPACE_NOT_FOUND"));
    try (Worker worker = builder().register(TYPE, hanging).build()) {
      assertThatThrownBy(worker::start)
          .isInstanceOfSatisfying(
              RequestRefusedException.class,
              e -> assertThat(e.reason()).isEqualTo("NAMESPACE_NOT_FOUND"));
    }
  }

  @Test
  void startsOnceOnly() {
    try (Worker worker = builder().register(TYPE, hanging).build()) {
      worker.start();

      assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    }
  }

  private WorkerBuilder builder() {
    return Worker.builder(server.address(), "queue");
  }

  private <Q> List<Q> received(Class<Q> type) {
    return server.calls().received(type);
  }
}
