package dev.kagzi.engine.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.interleaving.Race.Play;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Namespaces;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two operations, every order of their statements: each tells its caller what is true in the
 * database, and one of those who want the same thing gets it.
 */
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InterleavingTest {

  /** More orders than any race has; one that needs more must be made smaller. */
  private static final int MOST_ORDERS = 2000;

  private HikariDataSource dataSource;
  private Director director;
  private Actor first;
  private Actor second;
  private Stage stage;
  private int races;
  private int orders;
  private long nanos;

  @BeforeAll
  void start() throws SQLException {
    dataSource = TestEngine.migratedDatabase();
    Database plain = new Database(dataSource);
    new Namespaces(plain, Director::now).createDefault();
    director = new Director(plain);
    first = new Actor("first", dataSource.getJdbcUrl(), plain);
    second = new Actor("second", dataSource.getJdbcUrl(), plain);
    stage = new Stage(dataSource.getJdbcUrl(), first, second);
  }

  @AfterAll
  void stop() throws SQLException {
    System.out.printf(
        "%d races, %d orders tried, %.1f s%n", races, orders, nanos / 1_000_000_000.0);
    stage.close();
    first.close();
    second.close();
    director.close();
    dataSource.close();
  }

  static Stream<Race> races() {
    return Races.all();
  }

  @ParameterizedTest
  @MethodSource("races")
  void bothAreToldTheTruthInEveryOrder(Race race) throws SQLException {
    long begun = System.nanoTime();
    Orders left = new Orders();
    while (left.next()) {
      assertThat(left.tried()).as("orders of this race").isLessThan(MOST_ORDERS);
      play(race, left);
    }
    long took = System.nanoTime() - begun;
    // Two that are one round trip each can come in two orders only.
    assertThat(left.tried()).as("orders that differ").isGreaterThanOrEqualTo(2);
    System.out.printf("%s: %d orders, %d ms%n", race, left.tried(), took / 1_000_000);
    races++;
    orders += left.tried();
    nanos += took;
  }

  private void play(Race race, Orders decided) throws SQLException {
    director.clear();
    first.isAhead(Duration.ZERO);
    second.isAhead(Duration.ZERO);
    int deadlocks = first.deadlocks() + second.deadlocks();
    Play play = race.scene().prepare(director, first, second);
    List<String> story = stage.play(play.first(), play.second(), decided);
    try {
      assertThat(first.answer().isProper()).as("%s", first.answer()).isTrue();
      assertThat(second.answer().isProper()).as("%s", second.answer()).isTrue();
      play.verdict().judge(first.answer(), second.answer());
      assertThat(director.violations()).isEmpty();
      assertThat(first.deadlocks() + second.deadlocks()).as("deadlocks").isEqualTo(deadlocks);
    } catch (AssertionError wrong) {
      throw new AssertionError(
          "%s%nfirst: %s%nsecond: %s%n%s"
              .formatted(race, first.answer(), second.answer(), String.join("\n", story)),
          wrong);
    }
  }
}
