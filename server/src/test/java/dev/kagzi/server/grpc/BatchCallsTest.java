package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.v1.Batch;
import dev.kagzi.v1.BatchItem;
import dev.kagzi.v1.BatchItemStatus;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetBatchResponse;
import dev.kagzi.v1.ListBatchesRequest;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StartBatchResponse;
import dev.kagzi.v1.WorkflowFilter;
import io.grpc.StatusRuntimeException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BatchCallsTest {

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void cancelsWhatAFilterFindsAndShowsTheProgress() {
    List<String> runIds = startRuns("filtered", 5);
    startRuns("others", 1);

    Batch batch =
        start(
                aBatch(BatchOperation.BATCH_OPERATION_CANCEL)
                    .setFilter(filter("filtered"))
                    .setReason("gone out of business"))
            .getBatch();

    assertThat(batch.getTotal()).isEqualTo(5);
    assertThat(batch.getReason()).isEqualTo("gone out of business");
    await().until(() -> get(batch).getStatus() == BatchStatus.BATCH_STATUS_COMPLETED);
    Batch done = get(batch);
    assertThat(done.getSucceeded()).isEqualTo(5);
    assertThat(done.getFilter()).isEqualTo(filter("filtered"));
    assertThat(done.hasFinishedAt()).isTrue();
    GetBatchResponse page =
        server.workflows().getBatch(aGet(batch).setPageSize(3).setIncludeTotalCount(true).build());
    GetBatchResponse rest =
        server
            .workflows()
            .getBatch(
                aGet(batch).setPageSize(3).setPageToken(page.getPage().getNextPageToken()).build());
    assertThat(page.getPage().getTotalCount()).isEqualTo(5);
    List<String> shown = new ArrayList<>();
    page.getItemsList().forEach(item -> shown.add(item.getRunId()));
    rest.getItemsList().forEach(item -> shown.add(item.getRunId()));
    assertThat(shown).isEqualTo(runIds);
    assertThat(page.getItemsList())
        .extracting(BatchItem::getStatus)
        .containsOnly(BatchItemStatus.BATCH_ITEM_STATUS_SUCCEEDED);
  }

  @Test
  void saysWhyANamedRunWasNotTouched() {
    String live = startRuns("live", 1).get(0);
    String unknown = UUID.randomUUID().toString();

    Batch batch =
        start(aBatch(BatchOperation.BATCH_OPERATION_DELETE).addRunIds(live).addRunIds(unknown))
            .getBatch();

    await().until(() -> get(batch).getStatus() == BatchStatus.BATCH_STATUS_COMPLETED);
    GetBatchResponse refused =
        server
            .workflows()
            .getBatch(
                aGet(batch)
                    .setPageSize(10)
                    .addItemStatuses(BatchItemStatus.BATCH_ITEM_STATUS_FAILED)
                    .build());
    assertThat(refused.getItemsList()).hasSize(1);
    assertThat(refused.getItems(0).getRunId()).isEqualTo(live);
    assertThat(refused.getItems(0).getErrorReason()).isEqualTo("NOT_TERMINAL");
    assertThat(refused.getItems(0).getMessage()).contains("cancel it first");
    assertThat(get(batch).getSkipped()).isEqualTo(1);
    assertThat(get(batch).hasFilter()).isFalse();
  }

  @Test
  void onlyCountsWhenItIsADryRun() {
    startRuns("counted", 4);

    StartBatchResponse counted =
        start(
            aBatch(BatchOperation.BATCH_OPERATION_CANCEL)
                .setFilter(filter("counted"))
                .setDryRun(true));

    assertThat(counted.getBatch().getTotal()).isEqualTo(4);
    assertThat(counted.getTotalIsLowerBound()).isFalse();
    assertThat(counted.getBatch().getBatchId()).isEmpty();
    assertThat(
            start(
                    aBatch(BatchOperation.BATCH_OPERATION_RETRY)
                        .setFilter(filter("counted"))
                        .setDryRun(true))
                .getBatch()
                .getTotal())
        .isZero();
  }

  @Test
  void aBatchIsRepeatedStoppedAndListed() {
    startRuns("stopped", 3);
    String requestId = new TimeOrderedIds(InstantSource.system()).next().toString();
    StartBatchRequest.Builder request =
        aBatch(BatchOperation.BATCH_OPERATION_CANCEL)
            .setRequestId(requestId)
            .setFilter(filter("stopped"))
            .setRatePerSecond(0.01);

    Batch batch = start(request).getBatch();
    assertThat(batch.getBatchId()).isEqualTo(requestId);
    assertThat(start(request).getBatch().getTotal()).isEqualTo(3);
    CancelBatchRequest stop =
        CancelBatchRequest.newBuilder().setBatchId(requestId).setReason("a mistake").build();
    Batch stopped = server.workflows().cancelBatch(stop).getBatch();

    assertThat(stopped.getStatus()).isEqualTo(BatchStatus.BATCH_STATUS_CANCELLED);
    assertThat(stopped.getSucceeded() + stopped.getSkipped()).isEqualTo(3);
    assertThat(server.workflows().cancelBatch(stop).getBatch()).isEqualTo(stopped);
    assertThat(
            server
                .workflows()
                .listBatches(
                    ListBatchesRequest.newBuilder()
                        .addStatuses(BatchStatus.BATCH_STATUS_CANCELLED)
                        .setIncludeTotalCount(true)
                        .build()))
        .satisfies(list -> {
          assertThat(list.getBatchesList()).containsExactly(stopped);
          assertThat(list.getPage().getTotalCount()).isEqualTo(1);
        });
  }

  @Test
  void faultsAreReportedAtOnce() {
    assertThat(
            faultsOf(
                StartBatchRequest.newBuilder()
                    .setNamespace("bad\nname")
                    .setRequestId("none")
                    .setOperationValue(77)
                    .setReason("x".repeat(1001))
                    .setRatePerSecond(-1)
                    .setTerminate(true)))
        .containsExactlyInAnyOrder(
            "namespace",
            "request_id",
            "operation",
            "reason",
            "rate_per_second",
            "terminate",
            "filter");
    StartBatchRequest.Builder good =
        aBatch(BatchOperation.BATCH_OPERATION_RETRY).setFilter(filter("x"));
    assertThat(faultsOf(good.clone().setRatePerSecond(Double.NaN)))
        .containsExactly("rate_per_second");
    assertThat(faultsOf(good.clone().setRatePerSecond(Double.POSITIVE_INFINITY)))
        .containsExactly("rate_per_second");
    assertThat(faultsOf(good.clone().setFilter(WorkflowFilter.newBuilder().addStatusesValue(77))))
        .containsExactly("filter.statuses");
    assertThat(faultsOf(good.clone().addRunIds(UUID.randomUUID().toString())))
        .containsExactly("run_ids");
    assertThat(faultsOf(good.clone().clearFilter().setFilter(WorkflowFilter.newBuilder())))
        .containsExactly("filter");
    assertThat(faultsOf(aBatch(BatchOperation.BATCH_OPERATION_UNSPECIFIED).setFilter(filter("x"))))
        .containsExactly("operation");
  }

  @Test
  void namesOneBadIdAndTakesNoMoreThanTenThousand() {
    StartBatchRequest.Builder batch = aBatch(BatchOperation.BATCH_OPERATION_RETRY);
    String good = UUID.randomUUID().toString();

    assertThat(faultsOf(batch.clone().addRunIds(good).addRunIds("bad").addRunIds("worse")))
        .containsExactly("run_ids[1]");
    assertThat(faultsOf(batch.clone().addAllRunIds(Collections.nCopies(10_001, good))))
        .containsExactly("run_ids");
    assertThat(
            start(batch.clone().addAllRunIds(Collections.nCopies(10_000, good)))
                .getBatch()
                .getTotal())
        .isEqualTo(1);
  }

  @Test
  void batchesThatAreNotThereAreNotFound() {
    Batch ours =
        start(aBatch(BatchOperation.BATCH_OPERATION_DELETE).setFilter(filter("none"))).getBatch();
    String unknown = UUID.randomUUID().toString();

    assertThat(
            refusalOf(() ->
                server
                    .workflows()
                    .getBatch(GetBatchRequest.newBuilder().setBatchId(unknown).build())))
        .isEqualTo("NOT_FOUND BATCH_NOT_FOUND");
    assertThat(
            refusalOf(
                () -> server.workflows().getBatch(aGet(ours).setNamespace("elsewhere").build())))
        .isEqualTo("NOT_FOUND BATCH_NOT_FOUND");
    assertThat(
            refusalOf(() ->
                server
                    .workflows()
                    .cancelBatch(
                        CancelBatchRequest.newBuilder()
                            .setNamespace("elsewhere")
                            .setBatchId(ours.getBatchId())
                            .build())))
        .isEqualTo("NOT_FOUND BATCH_NOT_FOUND");
    assertThat(
            refusalOf(() ->
                start(
                    aBatch(BatchOperation.BATCH_OPERATION_DELETE)
                        .setNamespace("elsewhere")
                        .setFilter(filter("none")))))
        .isEqualTo("NOT_FOUND NAMESPACE_NOT_FOUND");
    assertThat(
            refusalOf(() ->
                server.workflows().getBatch(aGet(ours).setPageSize(5).setPageToken("x").build())))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    assertThat(
            refusalOf(() ->
                server
                    .workflows()
                    .listBatches(ListBatchesRequest.newBuilder().setPageSize(1001).build())))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
  }

  /** Newest first. */
  private static List<String> startRuns(String queue, int count) {
    List<String> runIds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      runIds.add(
          0, server.workflows().startWorkflow(aStart().setTaskQueue(queue).build()).getRunId());
    }
    return runIds;
  }

  private static WorkflowFilter filter(String queue) {
    return WorkflowFilter.newBuilder().addTaskQueues(queue).build();
  }

  private static StartBatchRequest.Builder aBatch(BatchOperation operation) {
    return StartBatchRequest.newBuilder().setOperation(operation);
  }

  private static StartBatchResponse start(StartBatchRequest.Builder request) {
    return server.workflows().startBatch(request.build());
  }

  private static GetBatchRequest.Builder aGet(Batch batch) {
    return GetBatchRequest.newBuilder().setBatchId(batch.getBatchId());
  }

  private static Batch get(Batch batch) {
    return server.workflows().getBatch(aGet(batch).build()).getBatch();
  }

  private static List<String> faultsOf(StartBatchRequest.Builder request) {
    StatusRuntimeException refusal =
        catchThrowableOfType(StatusRuntimeException.class, () -> start(request));
    assertThat(refusal).isNotNull();
    return Wire.faultyFields(refusal);
  }
}
