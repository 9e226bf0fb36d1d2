package dev.kagzi.engine.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EngineClockTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final AtomicLong nanos = new AtomicLong(12345);
  private final EngineClock clock = new EngineClock(NOON, nanos::get);

  @Test
  void runsOnBetweenSamples() {
    pass(Duration.ofSeconds(3));

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(3));
  }

  @Test
  void followsTheDatabaseForwardAtOnce() {
    pass(Duration.ofSeconds(1));

    assertThat(clock.sample(NOON.plusSeconds(90), Duration.ZERO)).isEmpty();

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(90));
  }

  @Test
  void slowsDownInsteadOfRunningBackForASmallDifference() {
    assertThat(clock.sample(NOON.minusSeconds(2), Duration.ZERO)).isEmpty();
    assertThat(clock.instant()).isEqualTo(NOON);

    pass(Duration.ofSeconds(1));
    assertThat(clock.instant()).isEqualTo(NOON.plusMillis(500));
    pass(Duration.ofSeconds(3));
    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(2));
    pass(Duration.ofSeconds(1));
    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(3));
  }

  @Test
  void followsALargeStepBackAndReportsIt() {
    assertThat(clock.sample(NOON.minusSeconds(3600), Duration.ZERO)).contains(Duration.ofHours(1));

    assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(3600));
  }

  @Test
  void neverLeadsADatabaseWhoseRepliesAreLate() {
    Instant database = NOON;
    for (int i = 0; i < 1000; i++) {
      Duration lateness = Duration.ofMillis(i % 40);
      pass(Duration.ofMillis(100));
      database = database.plusMillis(100);

      assertThat(clock.sample(database.minus(lateness), Duration.ZERO)).isEmpty();

      assertThat(clock.instant()).isBeforeOrEqualTo(database);
    }
  }

  @Test
  void doesNotTakeItsOwnLongPauseForTheDatabasesClock() {
    pass(Duration.ofSeconds(20));

    assertThat(clock.sample(NOON, Duration.ofSeconds(20))).isEmpty();

    assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(20));
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
