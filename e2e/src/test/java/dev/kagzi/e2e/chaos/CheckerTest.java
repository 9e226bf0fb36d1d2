package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.postgres.SharedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Many programs run while nobody harms anything, so that nothing is wrong; then one thing after the
 * other is made wrong by hand, and the checker must see it.
 */
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckerTest {
  private static final long SEED = 4;
  private static final int JOBS = 150;
  private static final int PER_SECOND = 50;

  /** More than there are schedules, so that one of them has fired twice. */
  private static final int LEAST_TICKS = 6;

  private static final String TICKS = "SELECT count(*) FROM kagzi.schedule_firings";
  private static final int RECOVERIES = 10;
  private static final int USUAL_LEASE_SECONDS = 30;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final List<Planted> PLANTED = Planted.ALL;

  private EmbeddedPostgres postgres;
  private String database;

  @BeforeAll
  void runPrograms(@TempDir Path folder) throws Exception {
    postgres = EmbeddedPostgres.builder(folder).setting("track_commit_timestamp", "on").start();
    postgres.createDatabase("kagzi");
    database = postgres.jdbcUrl("kagzi");
    String outside = SharedPostgres.freshDatabase();
    Ledger.create(outside);
    var evidence = new Evidence(database);
    try (var pool = new HikariDataSource()) {
      pool.setJdbcUrl(database);
      try (var kagzi = Kagzi.embedded(pool).start();
          var ledger = Ledger.open(outside);
          var worker = WorkerProgram.worker(kagzi.address(), ledger)) {
        evidence.begin(USUAL_LEASE_SECONDS, RECOVERIES);
        worker.start();
        try (var customer = new Customer(kagzi.address(), SEED, PER_SECOND)) {
          List<String> schedules = Chaos.createSchedules(customer);
          await()
              .atMost(PATIENCE)
              .until(() -> customer.sent() >= JOBS && Chaos.number(database, TICKS) >= LEAST_TICKS);
          Chaos.pause(customer, schedules);
          customer.awaitAnswers(PATIENCE);
          assertThat(Chaos.settle(database, PATIENCE)).isZero();
          assertThat(customer.surprises()).isEmpty();
          evidence.collect(outside, customer.acks());
        }
      }
    }
  }

  @AfterAll
  void stop() {
    postgres.close();
  }

  @Test
  void findsNothingWhereNobodyHasHarmedAnything() throws SQLException {
    assertThat(new Checker(database).violations()).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("PLANTED")
  void findsWhatIsPlanted(Planted planted) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database);
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);

      assertThat(statement.executeUpdate(planted.sql())).as("rows planted").isPositive();

      assertThat(Checker.violations(connection))
          .extracting(Checker.Violation::invariant)
          .contains(planted.breaks());
      connection.rollback();
    }
  }

  @ParameterizedTest
  @FieldSource("dev.kagzi.e2e.chaos.Planted#HARMLESS")
  void findsNothingWrongWithASagaThatMayBeOpen(Planted harmless) throws SQLException {
    try (Connection connection = DriverManager.getConnection(database);
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);

      assertThat(statement.executeUpdate(harmless.sql())).as("rows planted").isPositive();

      assertThat(Checker.violations(connection))
          .extracting(Checker.Violation::invariant)
          .doesNotContain(harmless.breaks());
      connection.rollback();
    }
  }

  /** A row's commit has its time only when it is over, so this one cannot be taken back. */
  @Test
  void findsAStepThatIsRecordedAfterTheEndOfItsRun() throws SQLException {
    try (var connection = DriverManager.getConnection(database);
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE kagzi.step_runs SET quiet = quiet WHERE ctid = (SELECT min(s.ctid) FROM"
              + " kagzi.step_runs s JOIN kagzi.finished_runs f USING (run_id))");

      assertThat(Checker.violations(connection))
          .extracting(Checker.Violation::invariant)
          .containsOnly(Invariant.I6);

      statement.execute(
          "UPDATE kagzi.finished_runs SET retries = retries; DELETE FROM chaos.changes");
    }
  }

  @Test
  void somethingIsPlantedForEveryInvariant() {
    assertThat(PLANTED).extracting(Planted::breaks).containsAll(Arrays.asList(Invariant.values()));
  }
}
