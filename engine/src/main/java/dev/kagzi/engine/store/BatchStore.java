package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchOperation;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Batches as rows. */
public final class BatchStore {

  private static final String COLUMNS =
      """
      batch_id, namespace_id, operation, status, filter, reason, terminate, rate, next_at, total,
      succeeded, failed, skipped, created_at, finished_at\
      """;

  private static final String INSERT =
      """
      INSERT INTO kagzi.batches (
        batch_id, namespace_id, operation, status, filter, reason, terminate, rate, next_at,
        created_at)
      VALUES (
        :batchId, :namespace, :operation, 'RUNNING', :filter::bytea, :reason, :terminate,
        :rate::float8, :now, :now)
      ON CONFLICT DO NOTHING
      """;

  /** Writes a batch without runs; says whether its id was new. */
  public boolean insert(Transaction tx, BatchId batchId, Batch.Order order, Instant now) {
    Payload filter = order.filter();
    return tx.query(INSERT)
            .set("batchId", batchId.value())
            .set("namespace", order.namespace())
            .set("operation", order.operation().name())
            .set("filter", filter == null ? null : filter.data())
            .set("reason", order.reason())
            .set("terminate", order.terminate())
            .set("rate", order.rate())
            .set("now", now)
            .update()
        == 1;
  }

  private static final String FIND =
      "SELECT %s FROM kagzi.batches WHERE batch_id = :batchId".formatted(COLUMNS);

  /** A batch of any namespace. */
  public Optional<Batch> find(Transaction tx, BatchId batchId) {
    return tx.query(FIND).set("batchId", batchId.value()).first(BatchStore::read);
  }

  private static final String LOCK = FIND + " FOR UPDATE";

  public Optional<Batch> lock(Transaction tx, BatchId batchId) {
    return tx.query(LOCK).set("batchId", batchId.value()).first(BatchStore::read);
  }

  private static final String LOCK_DUE =
      FIND + " AND status = 'RUNNING' AND next_at <= :now FOR UPDATE SKIP LOCKED";

  /** The batch, unless it is not its turn or another server handles it. */
  public Optional<Batch> lockDue(Transaction tx, BatchId batchId, Instant now) {
    return tx.query(LOCK_DUE)
        .set("batchId", batchId.value())
        .set("now", now)
        .first(BatchStore::read);
  }

  /** A batch that has not ended, and when it may go on. */
  public record Running(BatchId batchId, Instant nextAt) {}

  private static final String FIND_RUNNING =
      """
      SELECT batch_id, next_at FROM kagzi.batches
      WHERE status = 'RUNNING'
      ORDER BY batch_id
      LIMIT :limit
      """;

  /** The oldest batches that have not ended. */
  public List<Running> findRunning(Transaction tx, int limit) {
    return tx.query(FIND_RUNNING)
        .set("limit", limit)
        .list(row -> new Running(new BatchId(row.uuid("batch_id")), row.instant("next_at")));
  }

  /** The caller holds the row's lock. The last of its runs ends the batch. */
  private static final String SET_PROGRESS =
      """
      UPDATE kagzi.batches
      SET total = :total, succeeded = :succeeded, failed = :failed, skipped = :skipped,
          next_at = :nextAt,
          status = CASE WHEN :pending > 0 THEN status ELSE 'COMPLETED' END,
          finished_at = CASE WHEN :pending > 0 THEN finished_at ELSE :now END
      WHERE batch_id = :batchId AND status = 'RUNNING'
      """;

  public void setProgress(
      Transaction tx, BatchId batchId, Batch.Progress progress, Instant nextAt, Instant now) {
    tx.query(SET_PROGRESS)
        .set("batchId", batchId.value())
        .set("total", progress.total())
        .set("succeeded", progress.succeeded())
        .set("failed", progress.failed())
        .set("skipped", progress.skipped())
        .set("pending", progress.pending())
        .set("nextAt", nextAt)
        .set("now", now)
        .update();
  }

  private static final String CANCEL =
      """
      UPDATE kagzi.batches
      SET status = 'CANCELLED', finished_at = :now, skipped = skipped + :skipped
      WHERE batch_id = :batchId AND status = 'RUNNING'
      """;

  /** Ends a batch before its time. */
  public void cancel(Transaction tx, BatchId batchId, int skipped, Instant now) {
    tx.query(CANCEL)
        .set("batchId", batchId.value())
        .set("skipped", skipped)
        .set("now", now)
        .update();
  }

  private static final String LIST =
      """
      SELECT %s FROM kagzi.batches
      WHERE namespace_id = :namespace AND status = ANY(:statuses::text[])
        AND batch_id %s :beyond
      ORDER BY batch_id %s
      LIMIT :limit
      """;
  private static final Map<Direction, String> LISTS =
      Map.of(
          Direction.OLDER, LIST.formatted(COLUMNS, "<", "DESC"),
          Direction.NEWER, LIST.formatted(COLUMNS, ">", "ASC"));

  /** Batches beyond a position, nearest first. */
  public List<Batch> list(
      Transaction tx,
      String namespace,
      Collection<BatchStatus> statuses,
      Position from,
      int limit) {
    return tx.query(LISTS.getOrDefault(from.direction(), ""))
        .set("namespace", namespace)
        .texts("statuses", statuses, BatchStatus::name)
        .set("beyond", from.beyond().value())
        .set("limit", limit)
        .list(BatchStore::read);
  }

  private static final String COUNT =
      """
      SELECT count(*)::int4 AS n FROM (
        SELECT 1 FROM kagzi.batches
        WHERE namespace_id = :namespace AND status = ANY(:statuses::text[])
        LIMIT :limit) AS counted
      """;

  /** How many batches there are, up to a limit. */
  public int count(Transaction tx, String namespace, Collection<BatchStatus> statuses, int limit) {
    return tx.query(COUNT)
        .set("namespace", namespace)
        .texts("statuses", statuses, BatchStatus::name)
        .set("limit", limit)
        .only(row -> row.integer("n"));
  }

  private static Batch read(Row row) {
    String rate = row.textOrNull("rate");
    return new Batch(
        new BatchId(row.uuid("batch_id")),
        BatchStatus.valueOf(row.text("status")),
        new Batch.Order(
            row.text("namespace_id"),
            BatchOperation.valueOf(row.text("operation")),
            Json.toPayload(row.bytesOrNull("filter"), null),
            row.text("reason"),
            rate == null ? null : Double.valueOf(rate),
            row.bool("terminate")),
        new Batch.Progress(
            row.integer("total"),
            row.integer("succeeded"),
            row.integer("failed"),
            row.integer("skipped")),
        row.instant("next_at"),
        row.instant("created_at"),
        row.instantOrNull("finished_at"));
  }
}
