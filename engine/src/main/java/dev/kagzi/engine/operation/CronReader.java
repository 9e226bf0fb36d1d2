package dev.kagzi.engine.operation;

import dev.kagzi.engine.cron.BadCronException;
import dev.kagzi.engine.cron.CronTimes;
import dev.kagzi.engine.cron.Spelling;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Schedule;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Reads cron expressions and time zones as callers write them. */
public final class CronReader {

  private static final int NEAREST = 3;
  private static final int MAX_LENGTH = 255;

  private CronReader() {}

  /**
   * The times of an expression.
   *
   * @throws EngineException with what is wrong about the expression or the zone
   */
  public static CronTimes read(String cron, String timezone) {
    requireShort("cron_expr", cron);
    ZoneId zone = zone(timezone);
    try {
      return CronTimes.of(cron, zone);
    } catch (BadCronException unreadable) {
      throw new EngineException(
          ErrorCode.BAD_CRON, "cron_expr: %s".formatted(unreadable.getMessage()));
    }
  }

  /** Anything longer is no expression, and costly to search for the nearest. */
  private static void requireShort(String field, String text) {
    if (text.length() > MAX_LENGTH) {
      throw new EngineException(
          ErrorCode.BAD_CRON,
          "%s: has %d characters (expected: at most %d)"
              .formatted(field, text.length(), MAX_LENGTH));
    }
  }

  static CronTimes read(Schedule.Definition definition) {
    return read(definition.cron(), definition.timezone());
  }

  /**
   * A time zone by its name.
   *
   * @throws EngineException with the nearest names
   */
  public static ZoneId zone(String name) {
    requireShort("timezone", name);
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      throw new EngineException(
          ErrorCode.BAD_CRON,
          "timezone: '%s' is not known (expected: an IANA name; nearest: %s)"
              .formatted(name, String.join(", ", nearest(name))));
    }
  }

  private static List<String> nearest(String name) {
    String wanted = name.toLowerCase(Locale.ROOT);
    return ZoneId.getAvailableZoneIds().stream()
        .filter(known -> !known.startsWith("SystemV/"))
        .sorted(
            Comparator.comparingInt((String known) -> distance(wanted, known))
                .thenComparing(Comparator.naturalOrder()))
        .limit(NEAREST)
        .collect(Collectors.toList());
  }

  /** Of the whole name or of the city alone, whichever is less. */
  private static int distance(String wanted, String known) {
    String whole = known.toLowerCase(Locale.ROOT);
    String city = whole.substring(whole.lastIndexOf('/') + 1);
    return Math.min(Spelling.edits(wanted, whole), Spelling.edits(wanted.replace(' ', '_'), city));
  }
}
