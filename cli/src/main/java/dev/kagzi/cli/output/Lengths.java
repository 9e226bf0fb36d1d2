package dev.kagzi.cli.output;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them. Stateless. */
public final class Lengths {
  private static final int TENTHS_BELOW_SECONDS = 60;

  private Lengths() {}

  /** {@code 812ms}, {@code 7.4s}, {@code 6m 12s}, {@code 2h 5m}, {@code 3d 4h}. */
  public static String exact(Duration length) {
    var duration = length.isNegative() ? Duration.ZERO : length;
    if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
      return duration.toMillis() + "ms";
    }
    if (duration.toSeconds() < TENTHS_BELOW_SECONDS) {
      return String.format(Locale.ROOT, "%.1fs", Math.floor(duration.toMillis() / 100.0) / 10);
    }
    if (duration.toHours() == 0) {
      return two(duration.toMinutes(), "m", duration.toSecondsPart(), "s");
    }
    return duration.toDays() == 0
        ? two(duration.toHours(), "h", duration.toMinutesPart(), "m")
        : two(duration.toDays(), "d", duration.toHoursPart(), "h");
  }

  private static String two(long first, String unit, long second, String smaller) {
    return second == 0 ? first + unit : first + unit + " " + second + smaller;
  }

  /** The largest unit alone: {@code 4m}, {@code 22h}. */
  public static String rough(Duration length) {
    if (length.toMinutes() == 0) {
      return length.toSeconds() + "s";
    }
    if (length.toHours() == 0) {
      return length.toMinutes() + "m";
    }
    return length.toDays() < 2 ? length.toHours() + "h" : length.toDays() + "d";
  }
}
