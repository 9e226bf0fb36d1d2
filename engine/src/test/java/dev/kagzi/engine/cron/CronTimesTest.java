package dev.kagzi.engine.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTimesTest {

  private static List<String> fires(String cron, String zone, String fromWall, int count) {
    ZoneId id = ZoneId.of(zone);
    CronTimes times = CronTimes.of(cron, id);
    Instant from = ZonedDateTime.parse(fromWall + "[" + zone + "]").toInstant();
    return times.between(from, Instant.parse("2100-01-01T00:00:00Z"), count).stream()
        .map(moment -> moment.atZone(id).toOffsetDateTime().toString())
        .toList();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          New York, spring, daily in the gap      | 30 2 * * *   | America/New_York    | 2026-03-07T12:00-05:00    | 2026-03-08T03:30-04:00, 2026-03-09T02:30-04:00
          New York, autumn, daily in the overlap  | 30 1 * * *   | America/New_York    | 2026-10-31T12:00-04:00    | 2026-11-01T01:30-04:00, 2026-11-02T01:30-05:00
          New York, spring, every half hour       | */30 * * * * | America/New_York    | 2026-03-08T01:15-05:00    | 2026-03-08T01:30-05:00, 2026-03-08T03:00-04:00, 2026-03-08T03:30-04:00
          New York, autumn, every half hour       | */30 * * * * | America/New_York    | 2026-11-01T01:15-04:00    | 2026-11-01T01:30-04:00, 2026-11-01T01:00-05:00, 2026-11-01T01:30-05:00, 2026-11-01T02:00-05:00
          New York, spring, around the gap        | 15,45 2,3 * * * | America/New_York | 2026-03-08T01:00-05:00    | 2026-03-08T03:15-04:00, 2026-03-08T03:45-04:00, 2026-03-09T02:15-04:00
          Lord Howe, spring, half an hour         | 15 2 * * *   | Australia/Lord_Howe | 2026-10-03T12:00+10:30    | 2026-10-04T02:45+11:00, 2026-10-05T02:15+11:00
          Lord Howe, autumn, half an hour         | 45 1 * * *   | Australia/Lord_Howe | 2026-04-04T12:00+11:00    | 2026-04-05T01:45+11:00, 2026-04-06T01:45+10:30
          Lord Howe, autumn, every 15 minutes     | */15 * * * * | Australia/Lord_Howe | 2026-04-05T01:30+11:00    | 2026-04-05T01:45+11:00, 2026-04-05T01:30+10:30, 2026-04-05T01:45+10:30, 2026-04-05T02:00+10:30
          Santiago, spring, midnight is skipped   | 0 0 * * *    | America/Santiago    | 2026-09-05T12:00-04:00    | 2026-09-06T01:00-03:00, 2026-09-07T00:00-03:00
          Santiago, autumn, late evening twice    | 30 23 * * *  | America/Santiago    | 2026-04-04T12:00-03:00    | 2026-04-04T23:30-03:00, 2026-04-05T23:30-04:00
          Kolkata, never moves its clocks         | 30 9 * * *   | Asia/Kolkata        | 2026-03-08T12:00+05:30    | 2026-03-09T09:30+05:30, 2026-03-10T09:30+05:30
          UTC                                     | 0 12 1 * *   | UTC                 | 2026-01-15T00:00Z         | 2026-02-01T12:00Z, 2026-03-01T12:00Z
          """)
  void firesAsDocumented(String name, String cron, String zone, String from, String expected) {
    List<String> moments = List.of(expected.split(", "));

    assertThat(fires(cron, zone, from, moments.size())).isEqualTo(moments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          */15 * * * * *       | 2026-01-01T00:00:01Z | 2026-01-01T00:00:15Z
          0 0 0 29 2 *         | 2026-03-01T00:00:00Z | 2028-02-29T00:00:00Z
          0 30 9 1 1 * 2030    | 2026-01-01T00:00:00Z | 2030-01-01T09:30:00Z
          0 9 * * MON-FRI      | 2026-11-14T00:00:00Z | 2026-11-16T09:00:00Z
          0 9 * * 7            | 2026-11-16T00:00:00Z | 2026-11-22T09:00:00Z
          0 0 13 * 5           | 2026-11-14T00:00:00Z | 2026-11-20T00:00:00Z
          @daily               | 2026-11-16T10:00:00Z | 2026-11-17T00:00:00Z
          0 0 1 1 *            | 0001-01-01T00:00:00Z | 1971-01-01T00:00:00Z
          0 0 1 jan *          | 2026-11-16T10:00:00Z | 2027-01-01T00:00:00Z
          """)
  void findsTheNextMoment(String cron, Instant after, Instant expected) {
    assertThat(CronTimes.of(cron, ZoneId.of("UTC")).next(after)).contains(expected);
  }

  /** Else the same tick would be another one to whoever asks from another moment. */
  @ParameterizedTest
  @ValueSource(strings = {"* * * * * *", "*/2 * * * * *", "* * * * *"})
  void meansWholeSecondsWhateverMomentItIsAskedFrom(String cron) {
    CronTimes times = CronTimes.of(cron, ZoneId.of("UTC"));
    Instant from = Instant.parse("2026-11-17T22:39:24Z");

    List<Instant> ticks = times.between(from.plusNanos(650_631_000), from.plusSeconds(125), 1000);

    assertThat(ticks).isEqualTo(times.between(from, from.plusSeconds(125), 1000));
    assertThat(ticks).allMatch(tick -> tick.equals(tick.truncatedTo(ChronoUnit.SECONDS)));
  }

  @Test
  void hasNothingLeftAfterItsLastYear() {
    CronTimes times = CronTimes.of("0 0 0 1 1 * 2027", ZoneId.of("UTC"));

    assertThat(times.next(Instant.parse("2027-06-01T00:00:00Z"))).isEmpty();
    assertThat(times.next(Instant.parse("9999-12-31T23:59:59Z"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          0 25 * * *      | field 2 (hour) '25' cannot be read | nearest: '23'
          61 9 * * 9      | field 1 (minute) '61'              | field 5 (day of week) '9'
          0 9 * *         | has 4 field(s)                     | nearest: '0 9 * * *'
          0 9 * * 1 2 3 4 | has 8 field(s)                     | nearest: '0 9 * * 1'
          ""              | has 0 field(s)                     | expected: 5
          0 0 9 * * XYZ   | field 6 (day of week) 'XYZ'        | nearest: 'MON'
          0 9 * * MONDAY  | field 5 (day of week) 'MONDAY'     | nearest: 'MON'
          0 9 * * Mo-Fryd | field 5 (day of week) 'Mo-Fryd'    | nearest: 'MON-FRI'
          0 9 1 SEPT *    | field 4 (month) 'SEPT'             | nearest: 'SEP'
          */0 * * * *     | field 1 (minute) '*/0'             | nearest: '*/1'
          0 9 */0 * *     | field 3 (day of month) '*/0'       | nearest: '*/1'
          @sometimes      | '@sometimes' is not known          | @daily
          0 9 30-40 * *   | field 3 (day of month) '30-40'     | nearest: '30-31'
          """)
  void saysWhatIsWrongAndWhatIsNear(String cron, String fault, String remedy) {
    assertThatThrownBy(() -> CronTimes.of(cron, ZoneId.of("UTC")))
        .isInstanceOf(BadCronException.class)
        .hasMessageContainingAll(fault, remedy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          30 9 * * MON-FRI | at 09:30 every day between Monday and Friday
          */5 * * * *      | every 5 minutes
          """)
  void saysItInWords(String cron, String words) {
    assertThat(CronTimes.of(cron, ZoneId.of("UTC")).inWords()).isEqualTo(words);
  }
}
