package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One operation on many runs. */
public record Batch(
    BatchId batchId,
    BatchStatus status,
    Order order,
    Progress progress,
    Instant nextAt,
    Instant createdAt,
    @Nullable Instant finishedAt) {

  /**
   * What was asked for, besides the runs.
   *
   * @param filter the filter as its caller wrote it, kept for people to read; null if he named runs
   * @param rate runs per second, all servers together; null for no limit
   * @param terminate for CANCEL: without compensations
   */
  public record Order(
      String namespace,
      BatchOperation operation,
      @Nullable Payload filter,
      String reason,
      @Nullable Double rate,
      boolean terminate) {}

  /** How many runs there are, and what became of them. */
  public record Progress(int total, int succeeded, int failed, int skipped) {

    /** After some more were handled. */
    public Progress plus(List<BatchItem> handled) {
      return new Progress(
          total,
          succeeded + count(handled, BatchItem.Status.SUCCEEDED),
          failed + count(handled, BatchItem.Status.FAILED),
          skipped + count(handled, BatchItem.Status.SKIPPED));
    }

    private static int count(List<BatchItem> items, BatchItem.Status status) {
      return (int) items.stream().filter(item -> item.status() == status).count();
    }

    public int pending() {
      return total - succeeded - failed - skipped;
    }

    public int count(BatchItem.Status status) {
      return switch (status) {
        case PENDING -> pending();
        case SUCCEEDED -> succeeded;
        case FAILED -> failed;
        case SKIPPED -> skipped;
      };
    }
  }
}
