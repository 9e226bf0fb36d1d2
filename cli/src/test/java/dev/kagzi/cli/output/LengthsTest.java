package dev.kagzi.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LengthsTest {
  private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "0, 0ms, 0s",
    "812, 812ms, 0s",
    "7460, 7.4s, 7s",
    "59999, 59.9s, 59s",
    "372000, 6m 12s, 6m",
    "7200000, 2h, 2h",
    "7500000, 2h 5m, 2h",
    "100800000, 1d 4h, 28h",
    "273600000, 3d 4h, 3d",
  })
  void areWrittenAsPeopleReadThem(long millis, String exact, String rough) {
    assertThat(Lengths.exact(Duration.ofMillis(millis))).isEqualTo(exact);
    assertThat(Lengths.rough(Duration.ofMillis(millis))).isEqualTo(rough);
  }

  @Test
  void momentsAreRelativeOrExact() {
    var relative = new Look(Paint.PLAIN, TimeMode.RELATIVE, NOW);
    var iso = new Look(Paint.PLAIN, TimeMode.ISO, NOW);
    var earlier = Look.timestamp(NOW.minusSeconds(250));

    assertThat(relative.at(earlier)).isEqualTo("4m ago");
    assertThat(relative.at(Look.timestamp(NOW.plus(Duration.ofHours(22))))).isEqualTo("in 22h");
    assertThat(relative.at(Timestamp.getDefaultInstance())).isEqualTo("–");
    assertThat(iso.at(earlier)).isEqualTo("2026-01-02T11:55:50Z");
    assertThat(relative.took(earlier, Timestamp.getDefaultInstance())).isEqualTo("4m 10s");
  }

  @Test
  void idsAreKnownByTheirEnd() {
    assertThat(Look.shortId("0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44")).isEqualTo("2f8e1b44");
    assertThat(Look.shortId("")).isEqualTo("–");
  }

  @Test
  void whatIsTooLongIsCut() {
    assertThat(Look.cut("short", 5)).isEqualTo("short");
    assertThat(Look.cut("longer", 5)).isEqualTo("long…");
    assertThat(Look.cut("two\nlines", 20)).isEqualTo("two…");
  }
}
