package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The runs of batches, and what became of each. */
public final class BatchItemStore {

  private static final String INSERT =
      """
      INSERT INTO kagzi.batch_items (batch_id, run_id, status, reason, message, finished_at)
      SELECT :batchId::uuid, i.run_id, i.status, i.reason, i.message, i.finished_at
      FROM unnest(:runIds::uuid[], :statuses::text[], :reasons::text[], :messages::text[],
                  :finishedAt::timestamptz[]) AS i(run_id, status, reason, message, finished_at)
      """;

  /** Writes down named runs. */
  public void insert(Transaction tx, BatchId batchId, Collection<BatchItem> items) {
    bind(tx.query(INSERT), batchId, items).update();
  }

  /**
   * One index scan per status, as lists read them; a run's id never changes, so that each is met
   * once although some end while the pages are written.
   */
  private static final String INSERT_MATCHING =
      """
      INSERT INTO kagzi.batch_items (batch_id, run_id, status)
      SELECT :batchId::uuid, run_id, 'PENDING' FROM (
        (SELECT run_id FROM kagzi.workflow_runs
         WHERE namespace_id = :namespace AND status = ANY(:liveStatuses::text[])
           AND run_id < :below %1$s %2$s
         ORDER BY run_id DESC LIMIT :limit)
        UNION ALL
        SELECT ended.run_id FROM %4$s
        CROSS JOIN LATERAL (
          SELECT run_id FROM kagzi.finished_runs
          WHERE namespace_id = :namespace AND status = asked.status
            AND run_id < :below %5$s %3$s
          ORDER BY run_id DESC NULLS LAST LIMIT :limit) AS ended) AS runs
      ORDER BY run_id DESC
      LIMIT :limit
      RETURNING run_id
      """;

  /** Writes down the newest runs below an id that meet all criteria, and says which. */
  public List<RunId> insertMatching(
      Transaction tx,
      BatchId batchId,
      String namespace,
      List<Criterion> criteria,
      RunId below,
      int limit) {
    RunFilter filter = new RunFilter(criteria);
    Query query =
        tx.assembled(assemble(INSERT_MATCHING, filter))
            .set("batchId", batchId.value())
            .set("namespace", namespace)
            .set("below", below.value())
            .set("limit", limit)
            .texts("liveStatuses", filter.liveStatuses(), text -> text)
            .texts("endedStatuses", filter.endedStatuses(), text -> text);
    return filter.bind(query).list(row -> new RunId(row.uuid("run_id")));
  }

  private static String assemble(String frame, RunFilter filter) {
    return frame.formatted(
        filter.indexed(),
        filter.scanning(true),
        filter.scanning(false),
        filter.asked(),
        filter.indexedInHistory());
  }

  private static final String TAKE =
      """
      SELECT run_id FROM kagzi.batch_items
      WHERE batch_id = :batchId AND status = 'PENDING'
      ORDER BY run_id
      LIMIT :limit
      FOR UPDATE SKIP LOCKED
      """;

  /** The oldest runs that a batch has not come to, locked. */
  public List<RunId> take(Transaction tx, BatchId batchId, int limit) {
    return tx.query(TAKE)
        .set("batchId", batchId.value())
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String SETTLE =
      """
      UPDATE kagzi.batch_items b
      SET status = i.status, reason = i.reason, message = i.message, finished_at = i.finished_at
      FROM unnest(:runIds::uuid[], :statuses::text[], :reasons::text[], :messages::text[],
                  :finishedAt::timestamptz[]) AS i(run_id, status, reason, message, finished_at)
      WHERE b.batch_id = :batchId AND b.run_id = i.run_id AND b.status = 'PENDING'
      """;

  /** Writes down what became of runs. */
  public void settle(Transaction tx, BatchId batchId, Collection<BatchItem> items) {
    bind(tx.query(SETTLE), batchId, items).update();
  }

  private static Query bind(Query query, BatchId batchId, Collection<BatchItem> items) {
    return query
        .set("batchId", batchId.value())
        .uuids("runIds", items, item -> item.runId().value())
        .texts("statuses", items, item -> item.status().name())
        .texts("reasons", items, BatchItem::reason)
        .texts("messages", items, BatchItem::message)
        .instants("finishedAt", items, BatchItem::finishedAt);
  }

  private static final String SKIP_PENDING =
      """
      UPDATE kagzi.batch_items
      SET status = 'SKIPPED', message = 'the batch was cancelled before its turn',
          finished_at = :now
      WHERE batch_id = :batchId AND status = 'PENDING'
      """;

  /** Settles what a cancelled batch has not come to; returns how many. */
  public int skipPending(Transaction tx, BatchId batchId, Instant now) {
    return tx.query(SKIP_PENDING).set("batchId", batchId.value()).set("now", now).update();
  }

  private static final String LIST =
      """
      SELECT run_id, status, reason, message, finished_at FROM kagzi.batch_items
      WHERE batch_id = :batchId AND status = ANY(:statuses::text[]) AND run_id %s :beyond
      ORDER BY run_id %s
      LIMIT :limit
      """;
  private static final Map<Direction, String> LISTS =
      Map.of(
          Direction.OLDER, LIST.formatted("<", "DESC"),
          Direction.NEWER, LIST.formatted(">", "ASC"));

  /** Items beyond a position, nearest first. */
  public List<BatchItem> list(
      Transaction tx,
      BatchId batchId,
      Collection<BatchItem.Status> statuses,
      Position from,
      int limit) {
    return tx.query(LISTS.getOrDefault(from.direction(), ""))
        .set("batchId", batchId.value())
        .texts("statuses", statuses, BatchItem.Status::name)
        .set("beyond", from.beyond().value())
        .set("limit", limit)
        .list(BatchItemStore::read);
  }

  private static BatchItem read(Row row) {
    return new BatchItem(
        new RunId(row.uuid("run_id")),
        BatchItem.Status.valueOf(row.text("status")),
        row.textOrNull("reason"),
        row.textOrNull("message"),
        row.instantOrNull("finished_at"));
  }
}
