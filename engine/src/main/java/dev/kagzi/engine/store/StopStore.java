package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;

/** Asking runs that are inside a saga to undo their work and end. */
public final class StopStore {

  /** A request about to be written. */
  public record Stop(RunId runId, StopKind kind, String reason) {}

  /**
   * The first request counts. Whoever sleeps or waits is made claimable at once; the waits stay as
   * they are, because the replay must meet them. A run past its deadline was nobody's to claim
   * until now, and who looked for work may have gone on beyond its old time: it gets a new one.
   */
  private static final String REQUEST =
      """
      UPDATE kagzi.workflow_runs r
      SET stop_requested = a.kind, stop_reason = a.reason, stop_requested_at = :now,
          status = CASE WHEN r.status = 'RUNNING' THEN 'RUNNING' ELSE 'PENDING' END,
          wait_reason = NULL,
          available_at = CASE WHEN r.status = 'RUNNING' THEN NULL
                              WHEN r.deadline_at <= :now THEN :now
                              ELSE LEAST(r.available_at, :now) END
      FROM unnest(:runIds::uuid[], :kinds::text[], :reasons::text[]) AS a(run_id, kind, reason)
      WHERE r.run_id = a.run_id AND r.run_id = ANY(:runIds::uuid[])
        AND r.stop_requested IS NULL
        AND r.status IN ('PENDING', 'RUNNING', 'SLEEPING')
      """;

  /** Writes requests; the caller holds the locks. */
  public void request(Transaction tx, Collection<Stop> stops, Instant now) {
    tx.query(REQUEST)
        .set("now", now)
        .uuids("runIds", stops, stop -> stop.runId().value())
        .texts("kinds", stops, stop -> stop.kind().name())
        .texts("reasons", stops, Stop::reason)
        .update();
  }
}
