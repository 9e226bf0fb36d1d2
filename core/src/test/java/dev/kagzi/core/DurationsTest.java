package dev.kagzi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "30s, PT30S",
    "5m, PT5M",
    "1h30m, PT1H30M",
    "1 day, PT24H",
    "2 weeks, PT336H",
    "250ms, PT0.25S",
    "1.5h, PT1H30M",
    "1h 30 min, PT1H30M",
    "-10s, PT-10S",
    "0, PT0S",
    "90 Seconds, PT1M30S"
  })
  void readsWhatPeopleWrite(String text, Duration expected) {
    assertThat(Durations.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "s",
        "10",
        "10 parsecs",
        "1h-30m",
        "1h30",
        "ten s",
        "999999999999999999w"
      })
  void refusesAnythingElseAndSaysWhatItExpects(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("1h30m");
  }

  @Test
  void formatsWhatItCanReadBack() {
    var random = new SplittableRandom(20260101);
    for (int i = 0; i < 10_000; i++) {
      Duration duration = Duration.ofMillis(random.nextLong(-10_000_000_000L, 10_000_000_000L));

      assertThat(Durations.parse(Durations.format(duration))).isEqualTo(duration);
    }
  }
}
