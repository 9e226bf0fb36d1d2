package dev.kagzi.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Durations and step keys are read from texts of all sorts, or refused; nothing else happens. */
class TextFuzzTest {

  private static final int IN_VERIFY = 100_000;

  private static final List<String> PIECES =
      List.of(
          "1",
          "0",
          "9",
          "30",
          "999999999999999999",
          ".",
          ".5",
          "-",
          "+",
          " ",
          "\t",
          "s",
          "ms",
          "m",
          "min",
          "h",
          "hours",
          "d",
          "day",
          "w",
          "weeks",
          "S",
          "H",
          "e9",
          "x",
          "µs",
          "٣",
          "\u0130",
          "\0",
          "#",
          "[",
          "]",
          "name",
          "");

  @Test
  void aHundredThousandTextsAreReadOrRefused() {
    fuzz(1, IN_VERIFY);
  }

  @Test
  @Tag("soak")
  void aMillionTextsAreReadOrRefused() {
    fuzz(System.nanoTime(), 10 * IN_VERIFY);
  }

  private static void fuzz(long seed, int texts) {
    System.out.printf("texts: seed %d%n", seed);
    Random random = new Random(seed);
    int read = 0;
    for (int i = 0; i < texts; i++) {
      String text = text(random);
      read += durations(text) ? 1 : 0;
      stepKeys(text, text(random), random);
      roundTrip(random);
    }
    System.out.printf("texts: %d, of which %d were durations%n", texts, read);
    assertThat(read).isPositive().isLessThan(texts);
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(6);
    for (int i = 0; i < pieces; i++) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return random.nextInt(100) == 0 ? text.toString().repeat(200) : text.toString();
  }

  /** What is read is written so that it is read again as the same, to the millisecond. */
  private static boolean durations(String text) {
    Duration read;
    try {
      read = Durations.parse(text);
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageContaining("duration: '" + text + "'");
      return false;
    }
    assertSameAgain(read);
    return true;
  }

  private static void roundTrip(Random random) {
    assertSameAgain(Duration.ofSeconds(random.nextLong() >> random.nextInt(64), random.nextInt()));
  }

  private static void assertSameAgain(Duration duration) {
    Duration whole = Duration.ofSeconds(duration.toSeconds());
    Duration again = Durations.parse(Durations.format(duration));
    assertThat(again.minus(duration).abs())
        .as(duration.toString())
        .isLessThanOrEqualTo(Duration.ofMillis(1));
    assertThat(Durations.parse(Durations.format(whole))).isEqualTo(whole);
  }

  private static void stepKeys(String name, String key, Random random) {
    try {
      StepKey plain = StepKey.of(name);
      assertThat(plain.name()).isEqualTo(name);
      StepKey keyed = StepKey.of(name, key);
      assertThat(keyed.name()).isEqualTo(name);
      int use = 1 + random.nextInt(3);
      assertThat(keyed.occurrence(use).name()).isEqualTo(name);
      assertThat(keyed.occurrence(use)).isNotEqualTo(plain.occurrence(use));
    } catch (IllegalArgumentException refused) {
      assertThat(refused.getMessage()).startsWith("step ");
    }
  }
}
