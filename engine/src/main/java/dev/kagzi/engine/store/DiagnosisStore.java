package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.util.Optional;

/** What a database suffers from commonly, for whoever looks at it from outside. */
public final class DiagnosisStore {

  /**
   * The table of live runs, which is small and changes all the time.
   *
   * @param vacuumed how long ago it was vacuumed last, if it ever was
   */
  public record HotTable(long liveRows, long deadRows, Optional<Duration> vacuumed, long bytes) {}

  private static final String HOT_TABLE =
      """
      SELECT n_live_tup AS live, n_dead_tup AS dead, pg_total_relation_size(relid) AS bytes,
             COALESCE(extract(epoch FROM now() - GREATEST(last_vacuum, last_autovacuum))::int8, -1)
               AS vacuumed_s
      FROM pg_stat_user_tables
      WHERE schemaname = 'kagzi' AND relname = 'workflow_runs'
      """;

  /** Empty if there is no such table. */
  public Optional<HotTable> hotTable(Transaction tx) {
    return tx.query(HOT_TABLE)
        .first(row ->
            new HotTable(
                row.bigint("live"),
                row.bigint("dead"),
                Optional.of(row.bigint("vacuumed_s"))
                    .filter(age -> age >= 0)
                    .map(Duration::ofSeconds),
                row.bigint("bytes")));
  }

  private static final String OLDEST_TRANSACTION =
      """
      SELECT COALESCE(max(extract(epoch FROM now() - xact_start))::int8, 0) AS age_s
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      """;

  /** How long the oldest transaction of this database is under way: nothing younger is vacuumed. */
  public Duration oldestTransaction(Transaction tx) {
    return tx.query(OLDEST_TRANSACTION).only(row -> Duration.ofSeconds(row.bigint("age_s")));
  }

  private static final String BROKEN_INDEXES =
      """
      SELECT count(*)::int8 AS broken
      FROM pg_index i
      JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'kagzi' AND NOT i.indisvalid
      """;

  /** Indexes that are there and not used, because building them was broken off. */
  public long brokenIndexes(Transaction tx) {
    return tx.query(BROKEN_INDEXES).only(row -> row.bigint("broken"));
  }

  private static final String HAS_CLAIM_INDEX =
      "SELECT to_regclass('kagzi.workflow_runs_ready') IS NOT NULL AS there";

  /** Whether claims have their index. */
  public boolean hasClaimIndex(Transaction tx) {
    return tx.query(HAS_CLAIM_INDEX).only(row -> row.bool("there"));
  }

  private static final String ISOLATION =
      "SELECT current_setting('default_transaction_isolation') AS isolation";

  /** The isolation of a transaction that asks for none. */
  public String defaultIsolation(Transaction tx) {
    return tx.query(ISOLATION).only(row -> row.text("isolation"));
  }
}
