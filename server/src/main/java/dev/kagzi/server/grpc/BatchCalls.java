package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.BatchRequest;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Batches;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.CancelBatchResponse;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetBatchResponse;
import dev.kagzi.v1.ListBatchesRequest;
import dev.kagzi.v1.ListBatchesResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StartBatchResponse;
import dev.kagzi.v1.WorkflowFilter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One operation on many runs. Thread-safe. */
final class BatchCalls {

  private static final Logger log = LoggerFactory.getLogger(BatchCalls.class);
  private static final int DEFAULT_PAGE_SIZE = 50;

  private final Batches batches;

  BatchCalls(Batches batches) {
    this.batches = batches;
  }

  StartBatchResponse start(StartBatchRequest request) {
    BatchRequest wanted = fromWire(request);
    if (request.getDryRun()) {
      RunLists.Count count = batches.preview(wanted);
      return StartBatchResponse.newBuilder()
          .setBatch(BatchMapper.preview(wanted.order(), count.count()))
          .setTotalIsLowerBound(count.isLowerBound())
          .build();
    }
    Batch batch = batches.start(wanted);
    return StartBatchResponse.newBuilder().setBatch(BatchMapper.toWire(batch)).build();
  }

  private static BatchRequest fromWire(StartBatchRequest request) {
    Validation check = check(request);
    Set<RunId> runIds = runIds(request.getRunIdsList(), check);
    List<Criterion> criteria = FilterMapper.fromWire(request.getFilter(), check);
    double rate = request.getRatePerSecond();
    Batch.Order order =
        new Batch.Order(
            Requests.namespace(request.getNamespace()),
            BatchMapper.fromWire(request.getOperation()),
            BatchMapper.fromWire(runIds.isEmpty(), request.getFilter()),
            request.getReason(),
            rate == 0 ? null : rate,
            request.getTerminate());
    String requestId = request.getRequestId();
    return new BatchRequest(
        requestId.isEmpty() ? null : BatchId.parse(requestId), order, runIds, criteria);
  }

  private static Validation check(StartBatchRequest request) {
    double rate = request.getRatePerSecond();
    boolean filtered = !request.getFilter().equals(WorkflowFilter.getDefaultInstance());
    boolean named = request.getRunIdsCount() > 0;
    return new Validation()
        .optionalName("namespace", request.getNamespace())
        .optionalId("request_id", request.getRequestId())
        .known("operation", request.getOperation())
        .remark("reason", request.getReason())
        .require(
            rate >= 0 && rate <= Double.MAX_VALUE,
            "rate_per_second",
            "is %s (expected: a number >= 0, where 0 means no limit)".formatted(rate))
        .require(
            !request.getTerminate()
                || request.getOperation() == BatchOperation.BATCH_OPERATION_CANCEL,
            "terminate",
            "is set (expected: only with CANCEL)")
        .require(filtered || named, "filter", "is empty (expected: a condition, or run_ids)")
        .require(!filtered || !named, "run_ids", "is given together with a filter (expected: one)");
  }

  /** Tells of the first fault only: a reply with ten thousand would not arrive. */
  private static Set<RunId> runIds(List<String> texts, Validation check) {
    check.require(
        texts.size() <= Batches.MAX_RUN_IDS,
        "run_ids",
        "has %d entries (expected: at most %d)".formatted(texts.size(), Batches.MAX_RUN_IDS));
    Set<RunId> runIds = new HashSet<>();
    for (int i = 0; i < Math.min(texts.size(), Batches.MAX_RUN_IDS); i++) {
      try {
        runIds.add(RunId.parse(texts.get(i)));
      } catch (EngineException malformed) {
        check.fault("run_ids[%d]".formatted(i), "is not a UUID");
        break;
      }
    }
    return runIds;
  }

  GetBatchResponse get(GetBatchRequest request) {
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .id("batch_id", request.getBatchId());
    request.getItemStatusesList().forEach(status -> check.known("item_statuses", status));
    checkPageSize(check, request.getPageSize());
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    Batch batch = batches.get(namespace, BatchId.parse(request.getBatchId()));
    Set<BatchItem.Status> statuses = BatchMapper.itemStatuses(request.getItemStatusesList());
    var response = GetBatchResponse.newBuilder().setBatch(BatchMapper.toWire(batch));
    var page = PageInfo.newBuilder();
    if (request.getPageSize() > 0) {
      Batches.Listed<BatchItem> listed =
          batches.items(
              namespace, batch.batchId(), statuses, request.getPageSize(), request.getPageToken());
      listed.items().forEach(item -> response.addItems(BatchMapper.toWire(item)));
      put(page, listed);
    }
    if (request.getIncludeTotalCount()) {
      page.setTotalCount(statuses.stream().mapToLong(batch.progress()::count).sum());
    }
    return response.setPage(page).build();
  }

  ListBatchesResponse list(ListBatchesRequest request) {
    Validation check = new Validation().optionalName("namespace", request.getNamespace());
    request.getStatusesList().forEach(status -> check.known("statuses", status));
    checkPageSize(check, request.getPageSize());
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    Set<BatchStatus> statuses = BatchMapper.statuses(request.getStatusesList());
    int size = request.getPageSize() == 0 ? DEFAULT_PAGE_SIZE : request.getPageSize();
    Batches.Listed<Batch> listed = batches.list(namespace, statuses, size, request.getPageToken());
    var response = ListBatchesResponse.newBuilder();
    listed.items().forEach(batch -> response.addBatches(BatchMapper.toRow(batch)));
    var page = PageInfo.newBuilder();
    put(page, listed);
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = batches.count(namespace, statuses);
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    return response.setPage(page).build();
  }

  private static void checkPageSize(Validation check, int size) {
    check.require(
        size >= 0 && size <= RunLists.MAX_PAGE_SIZE,
        "page_size",
        "is %d (expected: 1 to %d)".formatted(size, RunLists.MAX_PAGE_SIZE));
  }

  private static void put(PageInfo.Builder page, Batches.Listed<?> listed) {
    page.setNextPageToken(listed.nextPageToken())
        .setPrevPageToken(listed.prevPageToken())
        .setHasMore(listed.hasMore());
  }

  CancelBatchResponse cancel(CancelBatchRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("batch_id", request.getBatchId())
        .remark("reason", request.getReason())
        .done();
    Batch batch =
        batches.cancel(
            Requests.namespace(request.getNamespace()), BatchId.parse(request.getBatchId()));
    log.info("batch {} was stopped ({})", batch.batchId(), request.getReason());
    return CancelBatchResponse.newBuilder().setBatch(BatchMapper.toWire(batch)).build();
  }
}
