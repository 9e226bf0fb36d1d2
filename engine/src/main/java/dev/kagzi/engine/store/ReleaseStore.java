package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Handing held runs back without an outcome. */
public final class ReleaseStore {

  /** Locks in the one order, because a claim that could not be delivered comes here unlocked. */
  private static final String RELEASE =
      """
      WITH held AS MATERIALIZED (
        SELECT r.run_id
        FROM unnest(:runIds::uuid[], :epochs::int4[]) AS a(run_id, lease_epoch)
        JOIN kagzi.workflow_runs r
          ON r.run_id = a.run_id AND r.lease_epoch = a.lease_epoch AND r.status = 'RUNNING'
        ORDER BY r.run_id
        FOR NO KEY UPDATE OF r
      )
      UPDATE kagzi.workflow_runs r
      SET status = 'PENDING', available_at = :now, lease_until = NULL, locked_by = NULL,
          claim_id = NULL
      FROM held
      WHERE r.run_id = held.run_id
      RETURNING r.run_id
      """;

  /** Makes runs claimable again at once; nobody's fault, so no crash is counted. */
  public List<RunId> release(Transaction tx, Collection<Fence> fences, Instant now) {
    return tx.query(RELEASE)
        .uuids("runIds", fences, fence -> fence.runId().value())
        .ints("epochs", fences, Fence::epoch)
        .set("now", now)
        .list(row -> new RunId(row.uuid("run_id")));
  }
}
