package dev.kagzi.sdk.client;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.ServerUnavailableException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.IdReusePolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KagziClientTest {

  record Order(String id, int amount) {}

  record Receipt(String orderId) {}

  private static final WorkflowType<Order, Receipt> TYPE =
      WorkflowType.of("process-order", Order.class, Receipt.class);

  private final FakeServer server = FakeServer.inProcess();
  private final KagziClient client = KagziClient.connect(server.address());

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void startsARunAndReadsItsResult() throws InterruptedException {
    try (Worker worker = serving()) {
      WorkflowHandle<Receipt> handle = client.start(TYPE).input(new Order("42", 7)).send();

      assertThat(handle.result()).isEqualTo(new Receipt("42"));
      assertThat(handle.status()).isEqualTo(RunStatus.COMPLETED);
      assertThat(handle.alreadyExisted()).isFalse();
      assertThat(client.handle(handle.runId(), Receipt.class).result())
          .isEqualTo(new Receipt("42"));
      assertThat(worker.workerId()).isPresent();
    }
  }

  @Test
  void startsByNameAndReadsTheResultAsAnything() throws InterruptedException {
    try (Worker worker = serving()) {
      WorkflowResult result =
          client.start("process-order").input(new Order("42", 7)).send().result();

      assertThat(result.as(Receipt.class)).isEqualTo(new Receipt("42"));
      assertThat(worker.activeCount()).isNotNegative();
    }
  }

  @Test
  void sendsWhatTheStartSays() {
    client
        .start(TYPE)
        .input(new Order("42", 7))
        .id("order-42")
        .queue("orders")
        .version("2")
        .delay("10m")
        .label("tier", "gold")
        .reusePolicy(ReusePolicy.ALLOW_IF_FAILED)
        .lease("20s")
        .send();

    StartWorkflowRequest request = starts().getFirst();
    assertThat(request.getWorkflowType()).isEqualTo("process-order");
    assertThat(request.getInput().getJson()).isEqualTo("{\"id\":\"42\",\"amount\":7}");
    assertThat(request.getExternalId()).isEqualTo("order-42");
    assertThat(request.getTaskQueue()).isEqualTo("orders");
    assertThat(request.getVersion()).isEqualTo("2");
    assertThat(request.getStartDelay().getSeconds()).isEqualTo(600);
    assertThat(request.getLabelsMap()).containsEntry("tier", "gold");
    assertThat(request.getIdReusePolicy()).isEqualTo(IdReusePolicy.ID_REUSE_POLICY_ALLOW_IF_FAILED);
    assertThat(request.getTimeouts().getHeartbeatTimeout().getSeconds()).isEqualTo(20);
    assertThat(TimeOrderedIds.isTimeOrdered(UUID.fromString(request.getRequestId()))).isTrue();
  }

  @Test
  void sendsEachReusePolicyByItsName() {
    for (ReusePolicy policy : ReusePolicy.values()) {
      client.start(TYPE).id("order-42").reusePolicy(policy).send();
    }

    assertThat(starts())
        .extracting(StartWorkflowRequest::getIdReusePolicy)
        .containsExactly(
            IdReusePolicy.ID_REUSE_POLICY_ALLOW,
            IdReusePolicy.ID_REUSE_POLICY_ALLOW_IF_FAILED,
            IdReusePolicy.ID_REUSE_POLICY_REJECT);
  }

  @Test
  void cancelsARunAndShowsTheReasonToWhoeverWaits() {
    WorkflowHandle<Receipt> handle = client.start(TYPE).send();

    assertThat(handle.cancel("too late")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(handle.cancel()).isEqualTo(CancelOutcome.CANCELLED);

    assertThat(handle.status()).isEqualTo(RunStatus.CANCELLED);
    assertThatThrownBy(handle::result)
        .isInstanceOf(WorkflowFailedException.class)
        .hasMessage("run %s is CANCELLED: too late".formatted(handle.runId()));
  }

  @Test
  void repeatsACancelWhoseReplyIsLost() {
    WorkflowHandle<Receipt> handle = client.start(TYPE).send();
    server.faults().loseReplyOnce("CancelWorkflow");

    assertThat(handle.cancel("too late")).isEqualTo(CancelOutcome.CANCELLED);

    assertThat(server.calls().received(CancelWorkflowRequest.class)).hasSize(2);
  }

  @Test
  void saysThatThereWasNothingLeftToCancel() throws InterruptedException {
    try (Worker worker = serving()) {
      WorkflowHandle<Receipt> handle = client.start(TYPE).input(new Order("42", 7)).send();
      handle.result();

      assertThat(handle.cancel("too late")).isEqualTo(CancelOutcome.ALREADY_FINISHED);

      assertThat(handle.status()).isEqualTo(RunStatus.COMPLETED);
      assertThat(worker.workerId()).isPresent();
    }
    assertThatThrownBy(() -> client.handle("nobody").cancel())
        .isInstanceOf(WorkflowNotFoundException.class);
  }

  @Test
  void repeatsAStartUnderTheSameIdWhenItsReplyIsLost() {
    server.faults().loseReplyOnce("StartWorkflow");

    WorkflowHandle<Receipt> handle = client.start(TYPE).send();

    assertThat(starts()).extracting(StartWorkflowRequest::getRequestId).hasSize(2);
    assertThat(starts())
        .extracting(StartWorkflowRequest::getRequestId)
        .containsOnly(handle.runId());
  }

  @Test
  void mintsAnotherIdWhenItsClockIsOff() {
    Instant serverTime = Instant.parse("2031-05-05T05:05:05Z");
    server
        .faults()
        .refuseOnce(
            "StartWorkflow",
            Refusals.refusal(
                Status.Code.INVALID_ARGUMENT,
                "REQUEST_ID_OUT_OF_RANGE",
                Map.of("server_time", serverTime.toString())));

    client.start(TYPE).send();
    client.start(TYPE).send();

    assertThat(starts()).hasSize(3);
    for (StartWorkflowRequest accepted : starts().subList(1, 3)) {
      Instant minted = TimeOrderedIds.mintedAt(UUID.fromString(accepted.getRequestId()));
      assertThat(minted).isBetween(serverTime, serverTime.plusSeconds(60));
    }
  }

  @Test
  void throwsHowARunFailed() {
    String runId = server.runs().start("process-order", null);
    try (Worker worker =
        Worker.builder(server.address(), "queue")
            .register(
                TYPE,
                (ctx, in) -> {
                  ctx.step(
                      "charge",
                      () -> {
                        throw new IllegalStateException("declined");
                      });
                  return new Receipt("never");
                })
            .build()) {
      worker.start();

      assertThatThrownBy(() -> client.handle(runId, Receipt.class).result())
          .isInstanceOfSatisfying(
              WorkflowFailedException.class,
              e -> {
                assertThat(e.runId()).isEqualTo(runId);
                assertThat(e.status()).isEqualTo(RunStatus.FAILED);
                assertThat(e.errorType()).isEqualTo("java.lang.IllegalStateException");
                assertThat(e.failedStep()).contains("charge");
              })
          .hasMessage(
              "run %s is FAILED in step 'charge': java.lang.IllegalStateException: declined"
                  .formatted(runId));
    }
  }

  @Test
  void givesUpWaitingAfterTheLimit() {
    String runId = server.runs().start("process-order", null);

    assertThatThrownBy(() -> client.handle(runId, Receipt.class).result(Duration.ofMillis(30)))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("run %s has not ended within 30ms".formatted(runId));
  }

  @Test
  void goesOnWaitingWhileTheServerIsAway() throws InterruptedException {
    server.faults().unavailable("AwaitWorkflow");
    var result = new AtomicReference<Receipt>();
    WorkflowHandle<Receipt> handle = client.start(TYPE).input(new Order("1", 1)).send();
    Thread waiting =
        Thread.ofVirtual()
            .start(() -> {
              try {
                result.set(handle.result());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    try (Worker worker = serving()) {
      until(() -> server.runs().isFinished(handle.runId()));
      assertThat(worker.workerId()).isPresent();
    }

    server.faults().heal("AwaitWorkflow");
    waiting.join();

    assertThat(result).hasValue(new Receipt("1"));
  }

  @Test
  void saysThatARunDoesNotExist() {
    assertThatThrownBy(() -> client.handle("nobody", String.class).status())
        .isInstanceOf(WorkflowNotFoundException.class)
        .hasMessageContaining("No run nobody");
  }

  @Test
  void passesOnWhatTheServerRefuses() {
    server
        .faults()
        .refuseOnce(
            "StartWorkflow", Refusals.refusal(Status.Code.NOT_FOUND, "NAMESPACE_NOT_FOUND"));

    assertThatThrownBy(() -> client.start(TYPE).send())
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo("NAMESPACE_NOT_FOUND"));
  }

  @Test
  void triesTheNextAddressWhenOneDoesNotAnswer() {
    try (KagziClient spread = KagziClient.connect("inprocess:nobody-is-here," + server.address())) {
      assertThat(spread.start(TYPE).send().runId()).isNotEmpty();
    }
  }

  @Test
  void saysWhereItLookedForAServer() {
    var unavailable = new ServerUnavailableException("localhost:1", "KagziClient", null);

    assertThat(unavailable)
        .hasMessageContaining("localhost:1")
        .hasMessageContaining("KagziClient")
        .hasMessageContaining("kagzi dev");
  }

  private Worker serving() {
    Worker worker =
        Worker.builder(server.address(), "queue")
            .register(TYPE, (ctx, order) -> new Receipt(order.id()))
            .build();
    worker.start();
    return worker;
  }

  private List<StartWorkflowRequest> starts() {
    return server.calls().received(StartWorkflowRequest.class);
  }
}
