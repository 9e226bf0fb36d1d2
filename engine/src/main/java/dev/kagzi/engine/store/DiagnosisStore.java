package dev.kagzi.engine.store;

import dev.kagzi.engine.jdbc.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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

  /** A busy server claims about this many runs at a time. */
  public static final int CLAIMED_AT_ONCE = 100;

  private static final JsonMapper PLANS = JsonMapper.builder().build();

  /**
   * What looking for due runs of one type costs.
   *
   * @param index the index it reads, if it reads one
   * @param pages how many pages it touched, in memory or not
   */
  public record ClaimPlan(String workflowType, Optional<String> index, long pages, Duration took) {}

  private record Waiting(String namespace, String taskQueue, String workflowType, String version) {}

  /** Of some runs that wait rather than of all, because there may be millions of them. */
  private static final String MOST_COMMON_WAITING =
      """
      SELECT namespace_id, task_queue, workflow_type, version
      FROM (
        SELECT namespace_id, task_queue, workflow_type, version
        FROM kagzi.workflow_runs
        WHERE status IN ('PENDING', 'SLEEPING')
        LIMIT 10000) sample
      GROUP BY namespace_id, task_queue, workflow_type, version
      ORDER BY count(*) DESC
      LIMIT 1
      """;

  /**
   * The scan of ClaimStore's CLAIM for one type. It locks nothing, so that nobody is kept from
   * claiming, and it has no floor, so that it touches at least the pages that a server does.
   */
  private static final String EXPLAIN_CLAIM =
      """
      EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
      SELECT run_id, available_at
      FROM kagzi.workflow_runs
      WHERE namespace_id = :namespace
        AND task_queue = :taskQueue
        AND workflow_type = :workflowType
        AND version = :version
        AND status IN ('PENDING', 'SLEEPING')
        AND available_at <= now()
        AND (deadline_at IS NULL OR deadline_at > now() OR stop_requested IS NOT NULL)
      ORDER BY available_at
      LIMIT :most
      """;

  /** Looks for due runs of the type that most runs wait of; empty if none waits. */
  public Optional<ClaimPlan> claimPlan(Transaction tx) {
    return tx.query(MOST_COMMON_WAITING)
        .first(row ->
            new Waiting(
                row.text("namespace_id"),
                row.text("task_queue"),
                row.text("workflow_type"),
                row.text("version")))
        .map(waiting -> explainClaim(tx, waiting));
  }

  private static ClaimPlan explainClaim(Transaction tx, Waiting waiting) {
    return tx.query(EXPLAIN_CLAIM)
        .set("namespace", waiting.namespace())
        .set("taskQueue", waiting.taskQueue())
        .set("workflowType", waiting.workflowType())
        .set("version", waiting.version())
        .set("most", CLAIMED_AT_ONCE)
        .only(row -> readPlan(waiting.workflowType(), row.text("QUERY PLAN")));
  }

  private static ClaimPlan readPlan(String workflowType, String json) {
    var explained = PLANS.readTree(json).path(0);
    var plan = explained.path("Plan");
    return new ClaimPlan(
        workflowType,
        index(plan),
        plan.path("Shared Hit Blocks").asLong() + plan.path("Shared Read Blocks").asLong(),
        Duration.ofNanos((long) (explained.path("Execution Time").asDouble() * 1_000_000)));
  }

  private static Optional<String> index(JsonNode node) {
    var name = node.path("Index Name");
    if (!name.isMissingNode()) {
      return Optional.of(name.asString());
    }
    for (var inner : node.path("Plans")) {
      var found = index(inner);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /**
   * How large the payloads of the newest attempts of steps are.
   *
   * @param attempts how many were looked at
   * @param large how many have an input or output that is larger than asked for
   * @param largestBytes the largest input or output of all
   * @param largestRun the run that has it, if there is any
   */
  public record StepPayloads(
      long attempts, long large, long largestBytes, Optional<UUID> largestRun) {}

  /** Lengths alone: payloads that are stored apart from their rows are not read. */
  private static final String STEP_PAYLOADS =
      """
      SELECT count(*) AS attempts, count(*) FILTER (WHERE bytes > :bytes) AS large,
             COALESCE(max(bytes), 0)::int8 AS largest,
             (array_agg(run_id ORDER BY bytes DESC))[1] AS largest_run
      FROM (
        SELECT run_id, GREATEST(octet_length(input), octet_length(output), 0) AS bytes
        FROM kagzi.step_runs
        ORDER BY run_id DESC
        LIMIT :most) newest
      """;

  /**
   * Looks at the steps of the newest runs, of all namespaces.
   *
   * @param bytes from which on a payload counts as large
   * @param most how many attempts are looked at
   */
  public StepPayloads stepPayloads(Transaction tx, long bytes, int most) {
    return tx.query(STEP_PAYLOADS)
        .set("bytes", bytes)
        .set("most", most)
        .only(row ->
            new StepPayloads(
                row.bigint("attempts"),
                row.bigint("large"),
                row.bigint("largest"),
                Optional.ofNullable(row.uuidOrNull("largest_run"))));
  }

  /**
   * The process behind the database.
   *
   * @param port where it listens
   */
  public record Postmaster(Instant startedAt, String dataDirectory, int port) {}

  private static final String POSTMASTER =
      """
      SELECT pg_postmaster_start_time() AS started_at, folder.setting AS data_directory,
             port.setting::int4 AS port
      FROM pg_settings folder, pg_settings port
      WHERE folder.name = 'data_directory' AND port.name = 'port'
      """;

  /** Where PostgreSQL keeps its files; it does not tell everybody. */
  public Optional<Postmaster> postmaster(Transaction tx) {
    return tx.query(POSTMASTER)
        .first(row ->
            new Postmaster(
                row.instant("started_at"), row.text("data_directory"), row.integer("port")));
  }

  private static final String DATABASE_BYTES =
      "SELECT pg_database_size(current_database()) AS bytes";

  /** How much disk this database takes. */
  public long databaseBytes(Transaction tx) {
    return tx.query(DATABASE_BYTES).only(row -> row.bigint("bytes"));
  }
}
