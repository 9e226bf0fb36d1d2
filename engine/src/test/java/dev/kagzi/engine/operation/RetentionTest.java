package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.operation.ManualFirings.Backfill;
import dev.kagzi.engine.operation.Retention.Removed;
import dev.kagzi.engine.store.PartitionStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is old goes with all that belongs to it; what is not, or lives, stays whole. */
@Execution(ExecutionMode.CONCURRENT)
class RetentionTest {

  private static final int DAYS = 30;
  private static final List<String> TABLES =
      List.of("finished_runs", "step_runs", "workflow_payloads");

  private final TestEngine kagzi = TestEngine.start();
  private final Instant now = kagzi.engine().clock().instant();
  private final LocalDate today = now.atZone(ZoneOffset.UTC).toLocalDate();
  private final Retention retention = new Retention(kagzi.database(), DAYS);
  private final WorkerId worker = kagzi.registerWorker();

  @AfterEach
  void tearDown() {
    kagzi.close();
  }

  private Instant later(int days) {
    return now.plus(Duration.ofDays(days));
  }

  private RunId endedRun() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    completeStep(task);
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
    return runId;
  }

  private void completeStep(Task task) {
    kagzi.engine().tasks().completeStep(fence(task), worker, result("charge", "1"));
  }

  /** A run that sleeps, with a step behind it. */
  private Task sleepingRun() {
    var unused = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    completeStep(task);
    kagzi.execute(
        """
        UPDATE kagzi.workflow_runs SET status = 'SLEEPING', available_at = lease_until,
          lease_until = NULL, locked_by = NULL WHERE run_id = '%s'
        """
            .formatted(task.claim().runId()));
    return task;
  }

  private boolean isThere(RunId runId) {
    try {
      return kagzi.engine().workflows().get(NAMESPACE, runId).status() == RunStatus.COMPLETED;
    } catch (EngineException unknown) {
      return false;
    }
  }

  private int count(String table, String where) {
    try (Connection connection = kagzi.connection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM kagzi.%s %s".formatted(table, where))) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException refused) {
      throw new AssertionError(refused);
    }
  }

  private int tablesOf(LocalDate day) {
    return count(
        "settings RIGHT JOIN pg_class c ON false",
        "WHERE c.relnamespace = 'kagzi'::regnamespace AND c.relkind = 'r'"
            + " AND c.relname LIKE '%%\\_%s'".formatted(day.toString().replace("-", "")));
  }

  @Test
  void removesADayOfWhichNothingHasToStayWithAllThatBelongsToIt() {
    RunId runId = endedRun();
    kagzi.execute(
        """
        INSERT INTO kagzi.run_events (run_id, namespace_id, event_name, idempotency_key, sent_at)
        SELECT '%1$s', 'default', 'e', i::text, '%2$s' FROM generate_series(1, 2500) AS i;
        INSERT INTO kagzi.run_states (run_id, name, namespace_id, lease_epoch, sequence, updated_at)
        VALUES ('%1$s', 's', 'default', 1, 1, '%2$s');
        INSERT INTO kagzi.child_items (run_id, step_key, item_index, status)
        VALUES ('%1$s', 'c', 0, 'WAITING')
        """
            .formatted(runId, now));

    assertThat(retention.prune(later(DAYS - 1))).isEqualTo(new Removed(0, 0));
    assertThat(isThere(runId)).isTrue();

    assertThat(retention.prune(later(DAYS + 2)).days()).isPositive();
    assertThat(isThere(runId)).isFalse();
    assertThat(tablesOf(today)).isZero();
    assertThat(tablesOf(today.plusDays(7))).isEqualTo(TABLES.size());
    assertThat(count("run_events", "") + count("run_states", "") + count("child_items", ""))
        .isZero();
  }

  @Test
  void leavesARunAloneThatLivesAndTakesItsNeighbours() {
    RunId ended = endedRun();
    Task asleep = sleepingRun();

    Removed removed = retention.prune(later(DAYS + 2));

    assertThat(removed.runs()).isEqualTo(1);
    assertThat(isThere(ended)).isFalse();
    assertThat(tablesOf(today)).isEqualTo(TABLES.size());
    String ofTheLiving = "WHERE run_id = '%s'".formatted(asleep.claim().runId());
    assertThat(count("step_runs", ofTheLiving)).isEqualTo(1);
    assertThat(count("workflow_payloads", ofTheLiving)).isEqualTo(1);
  }

  @Test
  void doesNotTakeAScheduleForARun() {
    var unused = endedRun();
    kagzi.execute(
        """
        INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, cron_expr, created_at)
        VALUES ('%s', 'default', 'q', 't', '', 'PAUSED', '* * * * *', '%s')
        """
            .formatted(TimeOrderedIds.floor(now), now));

    assertThat(retention.prune(later(DAYS + 2)).days()).isPositive();
    assertThat(tablesOf(today)).isZero();
    assertThat(count("workflow_runs", "WHERE status = 'PAUSED'")).isEqualTo(1);
  }

  @Test
  void goesOnWhereItWasBrokenOff() {
    RunId runId = endedRun();
    new PartitionStore().detachRuns(kagzi.database(), today);
    assertThat(isThere(runId)).isFalse();

    assertThat(retention.prune(now).days()).isEqualTo(1);

    assertThat(tablesOf(today)).isZero();
  }

  @Test
  void finishesARemovalThatWasCancelledWhileItWaited() throws SQLException {
    var unused = endedRun();
    try (Connection reader = kagzi.connection();
        Statement reading = reader.createStatement();
        Connection remover = kagzi.connection();
        Statement removing = remover.createStatement()) {
      reader.setAutoCommit(false);
      reading.execute("SELECT count(*) FROM kagzi.finished_runs");
      removing.execute("SET lock_timeout = '200ms'; SET statement_timeout = '500ms'");
      assertThat(failsFor(removing)).isTrue();
      removing.execute("RESET lock_timeout; RESET statement_timeout");
      reader.rollback();
    }

    assertThat(retention.prune(now).days()).isEqualTo(1);

    assertThat(tablesOf(today)).isZero();
  }

  private boolean failsFor(Statement removing) {
    String day = today.toString().replace("-", "");
    try {
      removing.execute(
          "ALTER TABLE kagzi.finished_runs DETACH PARTITION kagzi.finished_runs_%s CONCURRENTLY"
              .formatted(day));
      return false;
    } catch (SQLException cancelled) {
      return true;
    }
  }

  @Test
  void aDayThatCannotGoIsToldAndKeepsNoOtherFromGoing() {
    var unused = endedRun();
    kagzi.execute(
        "CREATE VIEW kagzi.in_the_way AS SELECT run_id FROM kagzi.finished_runs_"
            + today.toString().replace("-", ""));

    assertThatThrownBy(() -> retention.prune(later(DAYS + 3)))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("in_the_way");
    assertThat(tablesOf(today)).isPositive();
    assertThat(tablesOf(today.plusDays(1))).isZero();

    kagzi.execute("DROP VIEW kagzi.in_the_way");
    assertThat(retention.prune(now).days()).isEqualTo(1);
  }

  @Test
  void putsADayBackWhenOneOfItsRunsWasBroughtBackToLife() {
    RunId ended = endedRun();
    Task alive = sleepingRun();
    new PartitionStore().detachRuns(kagzi.database(), today);

    assertThat(retention.prune(now)).isEqualTo(new Removed(0, 0));

    assertThat(isThere(ended)).isTrue();
    assertThat(count("step_runs", "WHERE run_id = '%s'".formatted(alive.claim().runId())))
        .isEqualTo(1);
  }

  @Test
  void removesBatchesThatEndedLongAgo() {
    kagzi.execute(
        """
        INSERT INTO kagzi.batches (batch_id, namespace_id, operation, status, next_at, created_at,
          finished_at)
        VALUES ('%1$s', 'default', 'CANCEL', 'COMPLETED', '%2$s', '%2$s', '%2$s'),
               ('%3$s', 'default', 'CANCEL', 'RUNNING', '%2$s', '%2$s', NULL);
        INSERT INTO kagzi.batch_items (batch_id, run_id, status, finished_at)
        SELECT '%1$s', gen_random_uuid(), 'SUCCEEDED', '%2$s' FROM generate_series(1, 2500)
        """
            .formatted(UUID.randomUUID(), now, UUID.randomUUID()));

    var unused = retention.prune(later(DAYS + 1));

    assertThat(count("batches", "")).isEqualTo(1);
    assertThat(count("batch_items", "")).isZero();
  }

  @Test
  void removesOldTicksOfAScheduleButNotTheLast() {
    UUID schedule = TimeOrderedIds.floor(now);
    kagzi.execute(
        """
        INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, cron_expr, last_fired_at, created_at)
        VALUES ('%1$s', 'default', 'q', 't', '', 'PAUSED', '* * * * *', '%2$s', '%2$s');
        INSERT INTO kagzi.schedule_firings (schedule_id, fire_at, outcome, skip_reason, recorded_at)
        SELECT '%1$s', '%2$s'::timestamptz - i * interval '1 minute', 'SKIPPED', 'OVERLAP', '%2$s'
        FROM generate_series(0, 2500) AS i
        """
            .formatted(schedule, now));

    var early = retention.prune(later(DAYS - 1));
    assertThat(count("schedule_firings", "")).isEqualTo(2501);
    var late = retention.prune(later(DAYS + 1));

    assertThat(count("schedule_firings", "")).isEqualTo(1);
    assertThat(early.runs() + late.runs()).isZero();
  }

  @Test
  void aTickWhoseRecordIsGoneIsNotFilledInAgain() {
    Instant from = now.minus(Duration.ofMinutes(10));
    ManualFirings manual = kagzi.engine().scheduling().manual();
    var window = new Backfill(from, now, null, false);
    String schedule = everyMinute("pruned");
    assertThat(manual.backfill(NAMESPACE, schedule, window).fired()).isEqualTo(10);
    kagzi.execute("DELETE FROM kagzi.workflow_runs WHERE status = 'PENDING'");

    var unused = retention.prune(later(DAYS + 1));

    Instant pruned = prunedUpTo();
    assertThat(pruned).isBetween(now.minus(Duration.ofMinutes(1)), now);
    assertThatThrownBy(() -> manual.backfill(NAMESPACE, schedule, window))
        .hasMessageContaining("retention has removed the record of ticks up to " + pruned);
    assertThat(count("workflow_runs", "WHERE status = 'PENDING'")).isZero();
    var rest = new Backfill(pruned, now, null, false);
    assertThat(manual.backfill(NAMESPACE, schedule, rest).fired()).isZero();
  }

  @Test
  void theTicksOfADeletedScheduleGoByPages() {
    String kept = everyMinute("kept");
    String deleted = everyMinute("deleted");
    for (String schedule : List.of(kept, deleted)) {
      kagzi.execute(
          """
          INSERT INTO kagzi.schedule_firings (schedule_id, fire_at, outcome, skip_reason, recorded_at)
          SELECT '%s', '%s'::timestamptz - i * interval '1 minute', 'SKIPPED', 'OVERLAP', now()
          FROM generate_series(1, 2500) AS i
          """
              .formatted(schedule, now));
    }

    assertThat(kagzi.engine().scheduling().schedules().delete(NAMESPACE, deleted)).isTrue();
    assertThat(count("schedule_firings", "")).isEqualTo(5000);
    var unused = retention.prune(now);

    assertThat(count("schedule_firings", "")).isEqualTo(2500);
    assertThat(count("schedule_firings", "WHERE schedule_id = '%s'".formatted(kept)))
        .isEqualTo(2500);
  }

  /** A paused schedule whose ticks are all in the past. */
  private String everyMinute(String name) {
    var run =
        new Schedule.Template("report", "nobody", null, payload("1"), RunPolicies.NONE, Map.of());
    var definition =
        new Schedule.Definition(
            NAMESPACE, name, "* * * * *", "UTC", 100, OverlapPolicy.ALLOW, "", run);
    return kagzi
        .engine()
        .scheduling()
        .schedules()
        .create(definition, null, true)
        .schedule()
        .scheduleId()
        .toString();
  }

  private Instant prunedUpTo() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query("SELECT ticks_pruned_up_to AS at FROM kagzi.workflow_runs")
                .only(row -> row.instant("at")));
  }

  /** A model of what has to be there, against rows at random. */
  @Test
  void keepsExactlyWhatItsNamespaceWantsToKeep() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    kagzi.execute(
        """
        INSERT INTO kagzi.namespaces (namespace_id, retention_days, created_at, updated_at)
        VALUES ('short', 2, '%1$s', '%1$s'), ('forever', 0, '%1$s', '%1$s')
        """
            .formatted(now));
    var partitions = new PartitionStore();
    for (int day = 1; day <= 40; day++) {
      LocalDate past = today.minusDays(day);
      kagzi
          .database()
          .inTransaction(tx -> {
            partitions.createDay(tx, past);
            return true;
          });
    }
    Set<String> kept = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      String namespace = List.of("default", "short", "forever").get(random.nextInt(3));
      Instant started = now.minus(Duration.ofMinutes(random.nextInt(39 * 24 * 60)));
      boolean lives = random.nextInt(50) == 0;
      Instant ended = started.plus(Duration.ofMinutes(random.nextInt(5 * 24 * 60)));
      int days = namespace.equals("short") ? 2 : namespace.equals("forever") ? 100_000 : DAYS;
      Instant cutoff = now.minus(Duration.ofDays(days));
      if (started.isBefore(cutoff) && started.isAfter(cutoff.minus(Duration.ofDays(1)))) {
        // Whether it goes depends on its neighbours.
        continue;
      }
      String runId = TimeOrderedIds.floor(started.plusMillis(i)).toString();
      insert(runId, namespace, started, ended, lives);
      if (lives || ended.isAfter(cutoff)) {
        kept.add(runId);
      }
    }

    Removed removed = retention.prune(now);

    assertThat(runIds()).as("seed " + seed).isEqualTo(kept);
    assertThat(count("step_runs", "")).isEqualTo(kept.size());
    assertThat(count("workflow_payloads", "")).isEqualTo(kept.size());
    assertThat(removed.runs()).isPositive();
  }

  private void insert(
      String runId, String namespace, Instant started, Instant ended, boolean lives) {
    kagzi.execute(
        (lives
                ? """
                INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type,
                  version, status, available_at, created_at)
                VALUES ('%1$s', '%2$s', 'nobody', 't', '', 'SLEEPING', 'infinity', '%3$s');
                """
                : """
                INSERT INTO kagzi.finished_runs (run_id, namespace_id, task_queue, workflow_type,
                  version, status, lease_epoch, failures, crashes, retries, created_at,
                  finished_at)
                VALUES ('%1$s', '%2$s', 'q', 't', '', 'COMPLETED', 1, 0, 0, 0, '%3$s', '%4$s');
                """)
            .concat(
                """
                INSERT INTO kagzi.workflow_payloads (run_id, input) VALUES ('%1$s', '');
                INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,
                  lease_epoch, finished_at)
                VALUES ('%1$s', 'a', 1, 1, 'FUNCTION', 'COMPLETED', true, 1, '%3$s')
                """)
            .formatted(runId, namespace, started, ended));
  }

  private Set<String> runIds() {
    Set<String> found = new HashSet<>();
    try (Connection connection = kagzi.connection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT run_id FROM kagzi.finished_runs UNION SELECT run_id FROM"
                    + " kagzi.workflow_runs")) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    } catch (SQLException refused) {
      throw new AssertionError(refused);
    }
  }
}
