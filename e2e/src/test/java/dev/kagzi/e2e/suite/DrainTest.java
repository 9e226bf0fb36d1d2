package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.embedded.internal.InProcessChannels;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.WorkerEvent;
import dev.kagzi.v1.WorkerEventType;
import dev.kagzi.v1.WorkerStatus;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator drains a worker that is at work. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class DrainTest extends DurabilitySuite {

  private static final int RUNS = 20;

  private final WorkflowType<String, String> type;
  private final CountDownLatch began = new CountDownLatch(RUNS);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  DrainTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("drain-" + deployment), String.class, String.class);
  }

  @Test
  void finishesWhatItHoldsTakesNothingMoreAndLeaves() throws Exception {
    var byDrained = new AtomicInteger();
    Worker drained =
        begin(worker().maxConcurrent(2 * RUNS).drainTimeout(LIMIT).register(type, at(byDrained)));
    String id = drained.workerId().orElseThrow();
    List<WorkflowHandle<String>> held = startSome();
    await(began, "all runs are at work");
    ManagedChannel channel = open(home().address());
    try {
      AdminServiceBlockingStub admin = AdminServiceGrpc.newBlockingStub(channel);

      var asked =
          admin.drainWorker(
              DrainWorkerRequest.newBuilder().setWorkerId(id).setReason("deploy").build());
      List<WorkflowHandle<String>> late = startSome();

      assertThat(asked.getWorker().getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_DRAINING);
      assertThat(asked.getWorker().getActiveCount()).isLessThanOrEqualTo(RUNS);
      mayEnd.countDown();
      for (WorkflowHandle<String> handle : held) {
        assertThat(resultOf(handle)).isEqualTo("done");
      }
      Awaitility.await()
          .atMost(LIMIT)
          .until(
              () -> look(admin, id).getWorker().getStatus() == WorkerStatus.WORKER_STATUS_OFFLINE);
      assertThat(look(admin, id).getEventsList())
          .extracting(WorkerEvent::getType)
          .containsExactly(
              WorkerEventType.WORKER_EVENT_TYPE_STOPPED,
              WorkerEventType.WORKER_EVENT_TYPE_STOPPING,
              WorkerEventType.WORKER_EVENT_TYPE_STARTED);
      assertThat(byDrained).hasValue(RUNS);
      assertThat(late).allSatisfy(run -> assertThat(run.status()).isEqualTo(RunStatus.PENDING));
      serve(type, at(new AtomicInteger()));
      late.forEach(handle -> assertThat(resultOf(handle)).isEqualTo("done"));
      long charged = sum("failures");
      long expired = sum("crashes");
      System.out.printf(
          "figure: drain.operator attempts_charged %d leases_expired %d%n", charged, expired);
      assertThat(charged).isZero();
      assertThat(expired).isZero();
    } finally {
      channel.shutdownNow().awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private Workflow<String, String> at(AtomicInteger executed) {
    return (ctx, in) -> {
      ctx.step(
          "work",
          () -> {
            executed.incrementAndGet();
            began.countDown();
            mayEnd.await();
          });
      return ctx.step("last", String.class, () -> "done");
    };
  }

  private List<WorkflowHandle<String>> startSome() {
    List<WorkflowHandle<String>> runs = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      runs.add(start(type, ""));
    }
    return runs;
  }

  private static GetWorkerResponse look(AdminServiceBlockingStub admin, String worker) {
    return admin.getWorker(GetWorkerRequest.newBuilder().setWorkerId(worker).build());
  }

  private static ManagedChannel open(String address) {
    var inside = new InProcessChannels();
    return inside.handles(address)
        ? inside.open(address)
        : Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
  }

  /** Over all ended runs of the test. */
  private long sum(String counter) throws SQLException {
    try (var connection = DriverManager.getConnection(home().jdbcUrl());
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT sum(%s) FROM kagzi.finished_runs WHERE task_queue = '%s'"
                        .formatted(counter, queue()))) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
