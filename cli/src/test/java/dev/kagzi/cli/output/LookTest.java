package dev.kagzi.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class LookTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @Test
  void tellsTimesRelativeToTheMomentItIsGiven() {
    var look = new Look(Paint.of(false), TimeMode.RELATIVE, NOW);
    var waking = Look.timestamp(NOW.plusSeconds(52));

    assertThat(look.at(waking)).isEqualTo("in 52s");
    assertThat(look.asOf(NOW.plusSeconds(50)).at(waking)).isEqualTo("in 2s");
    assertThat(look.asOf(NOW.plusMillis(50_001)).at(waking)).isEqualTo("in 2s");
    assertThat(look.asOf(NOW.plusSeconds(55)).at(waking)).isEqualTo("3s ago");
  }
}
