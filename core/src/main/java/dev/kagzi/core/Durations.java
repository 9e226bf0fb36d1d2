package dev.kagzi.core;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: {@code 30s}, {@code 5m}, {@code 1h30m}, {@code 1 day}, {@code 2
 * weeks}, {@code 250ms}.
 */
public final class Durations {

  private static final Pattern PART =
      Pattern.compile("\\s*(\\d{1,18}(?:\\.\\d{1,9})?)\\s*([a-z]+)");

  private static final Map<String, Duration> UNITS =
      Map.ofEntries(
          Map.entry("ms", Duration.ofMillis(1)),
          Map.entry("millis", Duration.ofMillis(1)),
          Map.entry("millisecond", Duration.ofMillis(1)),
          Map.entry("milliseconds", Duration.ofMillis(1)),
          Map.entry("s", Duration.ofSeconds(1)),
          Map.entry("sec", Duration.ofSeconds(1)),
          Map.entry("secs", Duration.ofSeconds(1)),
          Map.entry("second", Duration.ofSeconds(1)),
          Map.entry("seconds", Duration.ofSeconds(1)),
          Map.entry("m", Duration.ofMinutes(1)),
          Map.entry("min", Duration.ofMinutes(1)),
          Map.entry("mins", Duration.ofMinutes(1)),
          Map.entry("minute", Duration.ofMinutes(1)),
          Map.entry("minutes", Duration.ofMinutes(1)),
          Map.entry("h", Duration.ofHours(1)),
          Map.entry("hr", Duration.ofHours(1)),
          Map.entry("hrs", Duration.ofHours(1)),
          Map.entry("hour", Duration.ofHours(1)),
          Map.entry("hours", Duration.ofHours(1)),
          Map.entry("d", Duration.ofDays(1)),
          Map.entry("day", Duration.ofDays(1)),
          Map.entry("days", Duration.ofDays(1)),
          Map.entry("w", Duration.ofDays(7)),
          Map.entry("week", Duration.ofDays(7)),
          Map.entry("weeks", Duration.ofDays(7)));

  private Durations() {}

  /**
   * Reads a duration; a leading minus makes the whole negative.
   *
   * @throws IllegalArgumentException if the text is not a duration, naming the text and the form
   */
  public static Duration parse(String text) {
    String rest = text.strip().toLowerCase(Locale.ROOT);
    boolean negative = rest.startsWith("-");
    if (negative) {
      rest = rest.substring(1);
    }
    if (rest.equals("0")) {
      return Duration.ZERO;
    }
    Duration sum = sumOfParts(rest, text);
    return negative ? sum.negated() : sum;
  }

  private static Duration sumOfParts(String rest, String text) {
    Matcher part = PART.matcher(rest);
    Duration sum = Duration.ZERO;
    int end = 0;
    while (part.find() && part.start() == end) {
      Duration unit = UNITS.get(part.group(2));
      if (unit == null) {
        throw malformed(text);
      }
      sum = plus(sum, times(unit, part.group(1), text), text);
      end = part.end();
    }
    if (end == 0 || !rest.substring(end).isBlank()) {
      throw malformed(text);
    }
    return sum;
  }

  private static Duration times(Duration unit, String number, String text) {
    try {
      int dot = number.indexOf('.');
      long whole = Long.parseLong(dot < 0 ? number : number.substring(0, dot));
      Duration result = unit.multipliedBy(whole);
      if (dot < 0) {
        return result;
      }
      double fraction = Double.parseDouble("0" + number.substring(dot));
      return result.plusNanos(Math.round(unit.toNanos() * fraction));
    } catch (ArithmeticException tooLarge) {
      throw malformed(text);
    }
  }

  private static Duration plus(Duration a, Duration b, String text) {
    try {
      return a.plus(b);
    } catch (ArithmeticException tooLarge) {
      throw malformed(text);
    }
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "duration: '" + text + "' (expected something like 250ms, 30s, 5m, 1h30m, 1 day, 2 weeks)");
  }

  /** Writes a duration the way {@link #parse} reads it, in its largest units: {@code 1h30m}. */
  public static String format(Duration duration) {
    if (duration.isZero()) {
      return "0s";
    }
    if (duration.isNegative()) {
      return "-" + format(duration.negated());
    }
    StringBuilder out = new StringBuilder();
    append(out, duration.toDays(), "d");
    append(out, duration.toHoursPart(), "h");
    append(out, duration.toMinutesPart(), "m");
    append(out, duration.toSecondsPart(), "s");
    append(out, duration.toMillisPart(), "ms");
    return out.isEmpty() ? "1ms" : out.toString();
  }

  private static void append(StringBuilder out, long amount, String unit) {
    if (amount > 0) {
      out.append(amount).append(unit);
    }
  }
}
