package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Tick;
import dev.kagzi.engine.domain.Tick.SkipReason;
import dev.kagzi.engine.jdbc.Query;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The ticks of schedules, one row each: its primary key is what makes a firing exactly one. */
public final class FiringStore {

  private static final String INSERT =
      """
      INSERT INTO kagzi.schedule_firings (
        schedule_id, fire_at, outcome, skip_reason, run_id, manual, recorded_at)
      SELECT :scheduleId, fire_at, CASE WHEN run_id IS NULL THEN 'SKIPPED' ELSE 'FIRED' END,
             skip_reason, run_id, manual, recorded_at
      FROM unnest(
        :fireAts::timestamptz[], :skipReasons::text[], :runIds::uuid[], :manual::bool[],
        :recordedAt::timestamptz[])
      AS f(fire_at, skip_reason, run_id, manual, recorded_at)
      """;
  private static final String INSERT_NEW =
      INSERT + "ON CONFLICT (schedule_id, fire_at) DO NOTHING RETURNING fire_at";

  /** Writes down ticks; returns those that nobody had written down before. */
  public Set<Instant> insertNew(Transaction tx, RunId scheduleId, List<Firing> firings) {
    return insert(tx.query(INSERT_NEW), scheduleId, firings);
  }

  private static final String INSERT_UNFIRED =
      INSERT
          + """
          ON CONFLICT (schedule_id, fire_at) DO UPDATE
          SET outcome = EXCLUDED.outcome, skip_reason = EXCLUDED.skip_reason,
              run_id = EXCLUDED.run_id, manual = EXCLUDED.manual,
              recorded_at = EXCLUDED.recorded_at
          WHERE schedule_firings.outcome = 'SKIPPED' AND EXCLUDED.outcome = 'FIRED'
          RETURNING fire_at
          """;

  /** The same, where ticks that were skipped before may fire now. */
  public Set<Instant> insertUnfired(Transaction tx, RunId scheduleId, List<Firing> firings) {
    return insert(tx.query(INSERT_UNFIRED), scheduleId, firings);
  }

  private static Set<Instant> insert(Query query, RunId scheduleId, List<Firing> firings) {
    return new HashSet<>(
        query
            .set("scheduleId", scheduleId.value())
            .instants("fireAts", firings, firing -> firing.tick().fireAt())
            .texts("skipReasons", firings, FiringStore::reason)
            .uuids("runIds", firings, FiringStore::run)
            .booleans("manual", firings, Firing::manual)
            .instants("recordedAt", firings, Firing::recordedAt)
            .list(row -> row.instant("fire_at")));
  }

  private static @Nullable String reason(Firing firing) {
    SkipReason reason = firing.tick().skipped();
    return reason == null ? null : reason.name();
  }

  private static @Nullable UUID run(Firing firing) {
    RunId runId = firing.runId();
    return runId == null ? null : runId.value();
  }

  private static final String FIND_FIRED =
      """
      SELECT fire_at FROM kagzi.schedule_firings
      WHERE schedule_id = :scheduleId AND outcome = 'FIRED'
        AND fire_at > :after AND fire_at <= :upTo
      """;

  /** Which ticks of a window have fired. */
  public Set<Instant> findFired(Transaction tx, RunId scheduleId, Instant after, Instant upTo) {
    return new HashSet<>(
        tx.query(FIND_FIRED)
            .set("scheduleId", scheduleId.value())
            .set("after", after)
            .set("upTo", upTo)
            .list(row -> row.instant("fire_at")));
  }

  private static final String PRUNED_UP_TO =
      """
      SELECT ticks_pruned_up_to FROM kagzi.workflow_runs
      WHERE run_id = :scheduleId AND status IN ('SCHEDULED', 'PAUSED')
      """;

  /** Up to where retention has removed ticks that fired. */
  public Optional<Instant> prunedUpTo(Transaction tx, RunId scheduleId) {
    return tx.query(PRUNED_UP_TO)
        .set("scheduleId", scheduleId.value())
        .first(row -> Optional.ofNullable(row.instantOrNull("ticks_pruned_up_to")))
        .flatMap(found -> found);
  }

  private static final String COLUMNS =
      "fire_at, outcome, skip_reason, run_id, manual, recorded_at";

  private static final String FIND_BY_RUN =
      """
      SELECT %s FROM kagzi.schedule_firings
      WHERE schedule_id = :scheduleId AND run_id = :runId
      """
          .formatted(COLUMNS);

  public Optional<Firing> findByRun(Transaction tx, RunId scheduleId, RunId runId) {
    return tx.query(FIND_BY_RUN)
        .set("scheduleId", scheduleId.value())
        .set("runId", runId.value())
        .first(FiringStore::read);
  }

  private static final String FIND_LIVE =
      """
      SELECT run_id FROM kagzi.workflow_runs
      WHERE schedule_group_id = :scheduleId AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
      ORDER BY run_id
      LIMIT :limit
      """;

  /** Runs of a schedule that have not ended, oldest first. */
  public List<RunId> findLive(Transaction tx, RunId scheduleId, int limit) {
    return tx.query(FIND_LIVE)
        .set("scheduleId", scheduleId.value())
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String FIND_GOING_ON =
      """
      SELECT run_id FROM kagzi.workflow_runs
      WHERE schedule_group_id = :scheduleId AND status IN ('PENDING', 'RUNNING', 'SLEEPING')
        AND stop_requested IS NULL
      ORDER BY run_id
      LIMIT :limit
      """;

  /** The same without those that were told to stop. */
  public List<RunId> findGoingOn(Transaction tx, RunId scheduleId, int limit) {
    return tx.query(FIND_GOING_ON)
        .set("scheduleId", scheduleId.value())
        .set("limit", limit)
        .list(row -> new RunId(row.uuid("run_id")));
  }

  private static final String MATCHING =
      """
      FROM kagzi.schedule_firings
      WHERE schedule_id = :scheduleId AND (:outcome::text IS NULL OR outcome = :outcome)\
      """;
  private static final String LIST =
      "SELECT %s %s AND fire_at %s :beyond ORDER BY fire_at %s LIMIT :limit";
  private static final Map<Direction, String> LISTS =
      Map.of(
          Direction.OLDER, LIST.formatted(COLUMNS, MATCHING, "<", "DESC"),
          Direction.NEWER, LIST.formatted(COLUMNS, MATCHING, ">", "ASC"));

  /**
   * Ticks on one side of a moment, nearest first.
   *
   * @param fired whether only those that fired, or only those that did not; null for all
   */
  public List<Firing> list(
      Transaction tx,
      RunId scheduleId,
      @Nullable Boolean fired,
      Direction direction,
      Instant beyond,
      int limit) {
    return tx.query(Objects.requireNonNull(LISTS.get(direction)))
        .set("scheduleId", scheduleId.value())
        .set("outcome", outcome(fired))
        .set("beyond", beyond)
        .set("limit", limit)
        .list(FiringStore::read);
  }

  private static final String COUNT =
      "SELECT count(*)::int4 AS n FROM (SELECT 1 %s LIMIT :limit) AS counted".formatted(MATCHING);

  /** How many there are, up to a limit. */
  public int count(Transaction tx, RunId scheduleId, @Nullable Boolean fired, int limit) {
    return tx.query(COUNT)
        .set("scheduleId", scheduleId.value())
        .set("outcome", outcome(fired))
        .set("limit", limit)
        .only(row -> row.integer("n"));
  }

  private static @Nullable String outcome(@Nullable Boolean fired) {
    return fired == null ? null : fired ? "FIRED" : "SKIPPED";
  }

  private static Firing read(Row row) {
    String reason = row.textOrNull("skip_reason");
    UUID runId = row.uuidOrNull("run_id");
    return new Firing(
        new Tick(row.instant("fire_at"), reason == null ? null : SkipReason.valueOf(reason)),
        runId == null ? null : new RunId(runId),
        row.bool("manual"),
        row.instant("recorded_at"));
  }
}
