package dev.kagzi.server.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.BatchOperation;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.v1.BatchItemStatus;
import dev.kagzi.v1.WorkflowFilter;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Batches between the wire and the engine. */
final class BatchMapper {

  private static final Logger log = LoggerFactory.getLogger(BatchMapper.class);

  /** A page of a thousand batches must fit into a message. */
  private static final int MAX_FILTER_IN_LIST = 1024;

  private BatchMapper() {}

  static dev.kagzi.v1.Batch toWire(Batch batch) {
    return toWire(batch, Integer.MAX_VALUE);
  }

  /** A batch in a list. */
  static dev.kagzi.v1.Batch toRow(Batch batch) {
    return toWire(batch, MAX_FILTER_IN_LIST);
  }

  private static dev.kagzi.v1.Batch toWire(Batch batch, int maxFilter) {
    Batch.Progress progress = batch.progress();
    var wire =
        toWire(batch.order(), maxFilter)
            .setBatchId(batch.batchId().toString())
            .setStatus(toWire(batch.status()))
            .setTotal(progress.total())
            .setSucceeded(progress.succeeded())
            .setFailed(progress.failed())
            .setSkipped(progress.skipped())
            .setCreatedAt(TimeMapper.toWire(batch.createdAt()));
    Instant finishedAt = batch.finishedAt();
    if (finishedAt != null) {
      wire.setFinishedAt(TimeMapper.toWire(finishedAt));
    }
    return wire.build();
  }

  /** A batch that was only thought of. */
  static dev.kagzi.v1.Batch preview(Batch.Order order, long total) {
    return toWire(order, Integer.MAX_VALUE).setTotal(total).build();
  }

  private static dev.kagzi.v1.Batch.Builder toWire(Batch.Order order, int maxFilter) {
    Double rate = order.rate();
    var wire =
        dev.kagzi.v1.Batch.newBuilder()
            .setNamespace(order.namespace())
            .setOperation(toWire(order.operation()))
            .setReason(order.reason())
            .setRatePerSecond(rate == null ? 0 : rate)
            .setTerminate(order.terminate());
    Payload filter = order.filter();
    if (filter != null && filter.size() <= maxFilter) {
      wire.setFilter(toFilter(filter));
    }
    return wire;
  }

  static @Nullable Payload fromWire(boolean given, WorkflowFilter filter) {
    return given ? new Payload(filter.toByteArray(), Map.of()) : null;
  }

  private static WorkflowFilter toFilter(Payload filter) {
    try {
      return WorkflowFilter.parseFrom(filter.data());
    } catch (InvalidProtocolBufferException damaged) {
      log.warn("a batch's filter cannot be read: {}", damaged.toString());
      return WorkflowFilter.getDefaultInstance();
    }
  }

  static dev.kagzi.v1.BatchItem toWire(BatchItem item) {
    var wire =
        dev.kagzi.v1.BatchItem.newBuilder()
            .setRunId(item.runId().toString())
            .setStatus(toWire(item.status()));
    String reason = item.reason();
    String message = item.message();
    Instant finishedAt = item.finishedAt();
    if (reason != null) {
      wire.setErrorReason(reason);
    }
    if (message != null) {
      wire.setMessage(message);
    }
    if (finishedAt != null) {
      wire.setFinishedAt(TimeMapper.toWire(finishedAt));
    }
    return wire.build();
  }

  static BatchOperation fromWire(dev.kagzi.v1.BatchOperation operation) {
    return BatchOperation.valueOf(operation.name().substring("BATCH_OPERATION_".length()));
  }

  private static dev.kagzi.v1.BatchOperation toWire(BatchOperation operation) {
    return switch (operation) {
      case RETRY -> dev.kagzi.v1.BatchOperation.BATCH_OPERATION_RETRY;
      case CANCEL -> dev.kagzi.v1.BatchOperation.BATCH_OPERATION_CANCEL;
      case DELETE -> dev.kagzi.v1.BatchOperation.BATCH_OPERATION_DELETE;
    };
  }

  private static dev.kagzi.v1.BatchStatus toWire(BatchStatus status) {
    return switch (status) {
      case RUNNING -> dev.kagzi.v1.BatchStatus.BATCH_STATUS_RUNNING;
      case COMPLETED -> dev.kagzi.v1.BatchStatus.BATCH_STATUS_COMPLETED;
      case CANCELLED -> dev.kagzi.v1.BatchStatus.BATCH_STATUS_CANCELLED;
    };
  }

  private static BatchItemStatus toWire(BatchItem.Status status) {
    return switch (status) {
      case PENDING -> BatchItemStatus.BATCH_ITEM_STATUS_PENDING;
      case SUCCEEDED -> BatchItemStatus.BATCH_ITEM_STATUS_SUCCEEDED;
      case FAILED -> BatchItemStatus.BATCH_ITEM_STATUS_FAILED;
      case SKIPPED -> BatchItemStatus.BATCH_ITEM_STATUS_SKIPPED;
    };
  }

  /** The states asked for; all if none was. */
  static Set<BatchStatus> statuses(List<dev.kagzi.v1.BatchStatus> wire) {
    Set<BatchStatus> statuses = EnumSet.noneOf(BatchStatus.class);
    wire.forEach(status ->
        statuses.add(BatchStatus.valueOf(status.name().substring("BATCH_STATUS_".length()))));
    return statuses.isEmpty() ? EnumSet.allOf(BatchStatus.class) : statuses;
  }

  /** The results asked for; all if none was. */
  static Set<BatchItem.Status> itemStatuses(List<BatchItemStatus> wire) {
    Set<BatchItem.Status> statuses = EnumSet.noneOf(BatchItem.Status.class);
    wire.forEach(status ->
        statuses.add(
            BatchItem.Status.valueOf(status.name().substring("BATCH_ITEM_STATUS_".length()))));
    return statuses.isEmpty() ? EnumSet.allOf(BatchItem.Status.class) : statuses;
  }
}
