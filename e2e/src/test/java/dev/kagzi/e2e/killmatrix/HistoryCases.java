package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Partitions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** What the loops do that make room for history and remove it. */
final class HistoryCases {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;
  private static final List<String> PARENTS =
      List.of("finished_runs", "step_runs", "workflow_payloads");

  /** Longer ago than anything is kept, and another day for each case. */
  private static final AtomicInteger DAYS_AGO = new AtomicInteger(40);

  private HistoryCases() {}

  static List<LoopCase> all() {
    return List.of(
        LoopCase.of(
            "HistoryPruner",
            "the runs of a day",
            "DETACH PARTITION kagzi.finished_runs_ ... " + LoopCase.ALONE,
            HistoryCases::oldDay),
        LoopCase.of(
            "HistoryPruner",
            "a batch",
            "DELETE FROM kagzi.batches b ... finished_at <=",
            HistoryCases::oldBatch),
        LoopCase.of(
            "HistoryPruner",
            "what belonged to a day",
            "DELETE FROM kagzi.run_states ... SELECT ctid",
            HistoryCases::oldDay),
        LoopCase.of(
            "HistoryPruner", "the day", "DROP TABLE IF EXISTS kagzi.", HistoryCases::oldDay),
        LoopCase.of(
            "HistoryPruner",
            "a run",
            "WITH gone AS ( ... DELETE FROM kagzi.workflow_payloads",
            HistoryCases::oldRun),
        LoopCase.of("PartitionKeeper", "ATTACH PARTITION", HistoryCases::missingDay));
  }

  private static void eventually(Callable<Boolean> condition) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(condition);
  }

  private static Instant oldMoment() {
    return Instant.now().minus(Duration.ofDays(DAYS_AGO.getAndIncrement()));
  }

  /** A run that ended then, with everything a run can leave behind. */
  private static UUID endedThen(Stage stage, Instant then, String namespace) {
    try (HikariDataSource pool = Station.pool(stage.tables().jdbcUrl())) {
      new Partitions(new Database(pool)).requireFor(then);
    }
    UUID id = new TimeOrderedIds(() -> then).next();
    String end = then.toString();
    stage
        .tables()
        .change(
            "INSERT INTO kagzi.finished_runs (run_id, namespace_id, task_queue, workflow_type,"
                + " version, status, lease_epoch, failures, crashes, retries, created_at,"
                + " finished_at) VALUES (?, ?, 'old', 'old', '', 'COMPLETED', 1, 0, 0, 0,"
                + " ?::timestamptz, ?::timestamptz)",
            id,
            namespace,
            end,
            end);
    stage.tables().change("INSERT INTO kagzi.workflow_payloads (run_id, input) VALUES (?, '')", id);
    stage
        .tables()
        .change(
            "INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,"
                + " lease_epoch, finished_at) VALUES (?, 'charge', 1, 1, 'FUNCTION', 'COMPLETED',"
                + " true, 1, ?::timestamptz)",
            id,
            end);
    stage
        .tables()
        .change(
            "INSERT INTO kagzi.run_states (run_id, name, namespace_id, lease_epoch, sequence,"
                + " updated_at) VALUES (?, 'progress', ?, 1, 1, ?::timestamptz)",
            id,
            namespace,
            end);
    return id;
  }

  private static long tablesOf(Stage stage, Instant day) {
    String suffix = DAY.format(day.atZone(ZoneOffset.UTC).toLocalDate());
    return stage
        .tables()
        .number(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'kagzi'::regnamespace"
                + " AND relkind = 'r' AND relname LIKE ?",
            "%\\_" + suffix);
  }

  private static Chapter oldDay(Stage stage) {
    Instant then = oldMoment();
    return Chapter.after(
        () -> {
          UUID unused = endedThen(stage, then, "default");
        },
        () -> eventually(() -> tablesOf(stage, then) == 0));
  }

  /** Another of the same day has to stay, so that the day stays too. */
  private static Chapter oldRun(Stage stage) {
    Instant then = oldMoment();
    UUID[] runs = new UUID[2];
    return Chapter.after(
        () -> {
          stage
              .tables()
              .change(
                  "INSERT INTO kagzi.namespaces (namespace_id, retention_days, created_at,"
                      + " updated_at) VALUES (?, 0, now(), now())",
                  stage.name());
          runs[0] = endedThen(stage, then, "default");
          runs[1] = endedThen(stage, then, stage.name());
        },
        () -> {
          String count = "SELECT count(*) FROM kagzi.finished_runs WHERE run_id = ?";
          eventually(() -> stage.tables().number(count, runs[0]) == 0);
          assertThat(stage.tables().number(count, runs[1])).isEqualTo(1);
        });
  }

  private static Chapter oldBatch(Stage stage) {
    UUID id = UUID.randomUUID();
    return Chapter.after(
        () ->
            stage
                .tables()
                .change(
                    "INSERT INTO kagzi.batches (batch_id, namespace_id, operation, status, next_at,"
                        + " created_at, finished_at) SELECT ?, 'default', 'CANCEL', 'COMPLETED',"
                        + " ago.at, ago.at, ago.at FROM (SELECT now() - interval '40 days')"
                        + " AS ago(at)",
                    id),
        () ->
            eventually(() ->
                stage.tables().number("SELECT count(*) FROM kagzi.batches WHERE batch_id = ?", id)
                    == 0));
  }

  private static Chapter missingDay(Stage stage) {
    Instant ahead = Instant.now().plus(Duration.ofDays(6));
    String suffix = DAY.format(ahead.atZone(ZoneOffset.UTC).toLocalDate());
    return Chapter.after(
        () ->
            PARENTS.forEach(parent ->
                stage.tables().change("DROP TABLE kagzi.%s_%s".formatted(parent, suffix))),
        () -> assertThat(tablesOf(stage, ahead)).isEqualTo(PARENTS.size()));
  }
}
