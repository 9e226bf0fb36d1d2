package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Rest;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;

/** What somebody who moves the time himself must know before he does. */
public final class RestStore {

  /**
   * In one statement, because runs hand over to each other: between two looks the last one that
   * moves could end and the next begin. A deadline that a saga was told of is handled already.
   */
  private static final String LOOK =
      """
      SELECT COALESCE(bool_or(status = 'RUNNING' OR due_at <= :now), false) AS busy,
             min(due_at) FILTER (WHERE due_at > :now AND due_at < :never) AS next_due
      FROM (
        SELECT status,
               LEAST(available_at, CASE WHEN stop_requested IS NULL THEN deadline_at END) AS due_at
        FROM kagzi.workflow_runs
        WHERE status IN ('PENDING', 'RUNNING', 'SLEEPING', 'SCHEDULED')) AS live
      """;

  public Rest look(Transaction tx, Instant now) {
    return tx.query(LOOK)
        .set("now", now)
        .set("never", WaitStore.NEVER)
        .only(row -> new Rest(row.bool("busy"), row.instantOrNull("next_due")));
  }
}
