package dev.kagzi.engine.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class PaceTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void withoutALimitEverythingMayBeDoneNow() {
    Pace pace = new Pace(null);

    assertThat(pace.allowed(NOW, NOW, 200)).isEqualTo(200);
    assertThat(pace.after(NOW, NOW, 200)).isEqualTo(NOW);
  }

  @Test
  void allowsOneAtItsTimeAndNoneBefore() {
    Pace pace = new Pace(10.0);

    assertThat(pace.allowed(NOW.plusNanos(1), NOW, 200)).isZero();
    assertThat(pace.allowed(NOW, NOW, 200)).isEqualTo(1);
    assertThat(pace.after(NOW, NOW, 1)).isEqualTo(NOW.plusMillis(100));
  }

  @Test
  void makesUpForAShortPauseAndNotForALongOne() {
    Pace pace = new Pace(1000.0);

    assertThat(pace.allowed(NOW.minusMillis(100), NOW, 999)).isEqualTo(101);
    assertThat(pace.allowed(NOW.minusSeconds(60), NOW, 999)).isEqualTo(251);
    assertThat(pace.after(NOW.minusSeconds(60), NOW, 251)).isEqualTo(NOW.plusMillis(1));
  }

  @Test
  void survivesAbsurdRates() {
    assertThat(new Pace(Double.MAX_VALUE).allowed(NOW.minusSeconds(1), NOW, 200)).isEqualTo(200);
    assertThat(new Pace(Double.MIN_VALUE).after(NOW, NOW, 1)).isAfter(NOW);
  }

  @Test
  void neverExceedsTheRateByMoreThanAMoment() {
    Pace pace = new Pace(500.0);
    Instant nextAt = NOW;
    int done = 0;
    for (int millis = 0; millis <= 10_000; millis += 37) {
      Instant now = NOW.plusMillis(millis);
      int allowed = pace.allowed(nextAt, now, 200);
      nextAt = pace.after(nextAt, now, allowed);
      done += allowed;
    }

    assertThat(done).isBetween(4900, 5001);
  }
}
