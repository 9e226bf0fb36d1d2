package dev.kagzi.sdk.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.kagzi.sdk.StepView;
import dev.kagzi.sdk.WorkerFilter;
import dev.kagzi.sdk.WorkerView;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client sees as an operator. */
class WorkersTest {

  private final FakeServer server = FakeServer.inProcess();
  private final KagziClient client = KagziClient.connect(server.address());

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void asksForTheWorkersThatTheFilterMeans() {
    server.admin().show(Worker.newBuilder().setWorkerId("w-1").build());
    var filter =
        WorkerFilter.all()
            .queue("orders")
            .status(WorkerView.Status.DRAINING, WorkerView.Status.ONLINE);

    assertThat(client.workers().list(filter)).extracting(WorkerView::id).containsExactly("w-1");

    ListWorkersRequest request = server.calls().received(ListWorkersRequest.class).getFirst();
    assertThat(request.getTaskQueue()).isEqualTo("orders");
    assertThat(request.getStatusesList())
        .containsExactly(WorkerStatus.WORKER_STATUS_ONLINE, WorkerStatus.WORKER_STATUS_DRAINING);
  }

  @Test
  void hasAWordForWhatANewerServerSays() {
    server.admin().show(Worker.newBuilder().setStatusValue(77).setHealthValue(77).build());

    WorkerView worker = client.workers().list().page(1).items().getFirst();

    assertThat(worker.status()).isEqualTo(WorkerView.Status.UNKNOWN);
    assertThat(worker.health()).isEqualTo(WorkerView.Health.UNKNOWN);
    assertThat(worker.leftAt()).isEmpty();
    assertThatThrownBy(() -> WorkerFilter.all().status(WorkerView.Status.UNKNOWN))
        .hasMessage("status: UNKNOWN (expected: ONLINE, DRAINING or OFFLINE)");
  }

  @Test
  void drainsGentlyUnlessAWorkerIsTakenOffline() {
    server.admin().show(Worker.newBuilder().setWorkerId("w-1").build());

    client.workers().drain("w-1", "deploy");
    client.workers().takeOffline("w-1", "hangs");

    var requests = server.calls().received(DrainWorkerRequest.class);
    assertThat(requests).extracting(DrainWorkerRequest::getForce).containsExactly(false, true);
    assertThat(requests)
        .extracting(DrainWorkerRequest::getReason)
        .containsExactly("deploy", "hangs");
    assertThatThrownBy(() -> client.workers().get("")).hasMessage("worker id is empty");
  }

  @Test
  void saysWhenAnOpenStepGoesOnAndNothingOfASettledOne() {
    var open =
        Step.newBuilder()
            .setStepKey("nap")
            .setKind(StepKind.STEP_KIND_SLEEP)
            .setStatus(StepStatus.STEP_STATUS_RUNNING)
            .setWakeAt(Timestamp.newBuilder().setSeconds(60));
    server.admin().show(open.build());
    server.admin().show(open.setSettled(true).build());

    var steps = client.handle("run-1").steps().all();

    assertThat(steps.getFirst().kind()).isEqualTo(StepView.Kind.SLEEP);
    assertThat(steps.getFirst().continuesAt()).contains(Instant.ofEpochSecond(60));
    assertThat(steps.getFirst().errorType()).isEmpty();
    assertThat(steps.getLast().continuesAt()).isEmpty();
  }
}
