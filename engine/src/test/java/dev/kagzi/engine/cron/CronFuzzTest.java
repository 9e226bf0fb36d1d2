package dev.kagzi.engine.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An expression is read or refused with a reason, and its times come in order and soon. */
class CronFuzzTest {

  private static final int IN_VERIFY = 5_000;
  private static final Duration SOON = Duration.ofSeconds(20);

  private static final List<String> FIELDS =
      List.of(
          "*",
          "*",
          "*/5",
          "1-5",
          "1,2,3",
          "5",
          "1",
          "2-6/2",
          "60",
          "-1",
          "0",
          "59",
          "*/0",
          "5-1",
          "1-30/7",
          "MON",
          "JAN-MAR",
          "sun",
          "L",
          "W",
          "15W",
          "5#3",
          "?",
          "31",
          "29",
          "2099",
          "1970-2099",
          "99999999999",
          "*/99999999999",
          "",
          "**",
          "1-",
          ",",
          "/",
          "@daily",
          "\0",
          "é");

  private static final List<ZoneId> ZONES =
      List.of(
          ZoneId.of("UTC"),
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("America/New_York"),
          ZoneId.of("Australia/Lord_Howe"),
          ZoneId.of("Pacific/Apia"));

  @Test
  void thousandsOfExpressionsAreReadOrRefused() {
    fuzz(1, IN_VERIFY);
  }

  @Test
  @Tag("soak")
  void tensOfThousandsOfExpressionsAreReadOrRefused() {
    fuzz(System.nanoTime(), 10 * IN_VERIFY);
  }

  private static void fuzz(long seed, int expressions) {
    System.out.printf("cron: seed %d%n", seed);
    Random random = new Random(seed);
    int read = 0;
    for (int i = 0; i < expressions; i++) {
      String expression = expression(random);
      ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
      long begun = System.nanoTime();
      read += isRead(expression, zone, random) ? 1 : 0;
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).as(expression).isLessThan(SOON);
    }
    System.out.printf("cron: %d of %d expressions were read%n", read, expressions);
    assertThat(read).isPositive().isLessThan(expressions);
  }

  private static String expression(Random random) {
    int fields = random.nextInt(10) == 0 ? random.nextInt(10) : 5 + random.nextInt(3);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < fields; i++) {
      String field = FIELDS.get(random.nextInt(random.nextInt(8) == 0 ? FIELDS.size() : 8));
      text.append(i == 0 ? "" : " ").append(field);
    }
    return text.toString();
  }

  private static boolean isRead(String expression, ZoneId zone, Random random) {
    CronTimes times;
    try {
      times = CronTimes.of(expression, zone);
    } catch (BadCronException refused) {
      assertThat(refused.getMessage()).isNotBlank();
      return false;
    }
    assertThatCode(times::inWords).doesNotThrowAnyException();
    Instant from = Instant.ofEpochSecond(random.nextLong(4_000_000_000L));
    Instant last = from;
    for (int i = 0; i < 3; i++) {
      Optional<Instant> next = times.next(last);
      if (next.isEmpty()) {
        break;
      }
      assertThat(next.get()).as(expression).isAfter(last);
      assertThat(times.between(last, next.get(), 10)).containsExactly(next.get());
      last = next.get();
    }
    return true;
  }
}
