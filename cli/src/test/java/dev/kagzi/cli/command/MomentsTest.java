package dev.kagzi.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.CommandFailedException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MomentsTest {
  private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "1h, 2026-01-02T11:00:00Z",
    "1h30m, 2026-01-02T10:30:00Z",
    "2025-12-31, 2025-12-31T00:00:00Z",
    "2025-12-31T10:00:00+02:00, 2025-12-31T08:00:00Z",
  })
  void areDurationsAgoOrDates(String typed, Instant meant) {
    assertThat(Look.instant(Moments.past("--since", typed, NOW))).isEqualTo(meant);
  }

  @Test
  void nonsenseIsRefusedWithTheFlag() {
    assertThatThrownBy(() -> Moments.past("--since", "soon", NOW))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageStartingWith("--since: 'soon' (expected: a time like 1h");
    assertThatThrownBy(() -> Moments.duration("--timeout", "5 parsecs"))
        .hasMessageStartingWith("--timeout: duration: '5 parsecs'");
  }
}
