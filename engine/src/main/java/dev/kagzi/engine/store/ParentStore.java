package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.Collection;
import java.util.List;

/** Parents that have ended, and the children that they have left behind. */
public final class ParentStore {

  /** SKIP LOCKED: what another server looks after is none of ours. */
  private static final String LOCK_ENDED =
      """
      SELECT run_id FROM kagzi.ended_parents
      ORDER BY run_id
      LIMIT :limit
      FOR UPDATE SKIP LOCKED
      """;

  /** Some parents whose children have not been looked at since they ended. */
  public List<RunId> lockEnded(Transaction tx, int limit) {
    return tx.query(LOCK_ENDED).set("limit", limit).list(row -> new RunId(row.uuid("run_id")));
  }

  /** A live child that its parent takes along. */
  public record Orphan(String namespace, RunId runId, RunId parent) {}

  private static final String FIND_ORPHANS =
      """
      SELECT namespace_id, run_id, parent_run_id
      FROM kagzi.workflow_runs
      WHERE parent_run_id = ANY(:parents::uuid[]) AND parent_close_policy = 'CANCEL'
        AND stop_requested IS NULL
      LIMIT :limit
      """;

  /** Live children that are to be cancelled and have not been asked to end. */
  public List<Orphan> findOrphans(Transaction tx, Collection<RunId> parents, int limit) {
    return tx.query(FIND_ORPHANS)
        .uuids("parents", parents, RunId::value)
        .set("limit", limit)
        .list(row ->
            new Orphan(
                row.text("namespace_id"),
                new RunId(row.uuid("run_id")),
                new RunId(row.uuid("parent_run_id"))));
  }

  private static final String LOCK =
      """
      SELECT run_id FROM kagzi.ended_parents
      WHERE run_id = ANY(:runIds::uuid[])
      ORDER BY run_id
      FOR UPDATE
      """;

  /** Keeps everybody else from looking after these. Waits for whoever is about it. */
  public void lock(Transaction tx, Collection<RunId> runIds) {
    tx.query(LOCK).uuids("runIds", runIds, RunId::value).list(row -> row.uuid("run_id"));
  }

  private static final String REMOVE =
      """
      DELETE FROM kagzi.ended_parents WHERE run_id = ANY(:runIds::uuid[])
      """;

  /** These have been looked after, or live again; the caller holds their locks. */
  public void remove(Transaction tx, Collection<RunId> runIds) {
    tx.query(REMOVE).uuids("runIds", runIds, RunId::value).update();
  }
}
