package dev.kagzi.engine.cron;

import java.time.DayOfWeek;
import java.time.Month;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The fields of a cron expression, in the order of the longest form. */
enum CronField {
  SECOND("second", "0-59", 0, 59),
  MINUTE("minute", "0-59", 0, 59),
  HOUR("hour", "0-23", 0, 23),
  DAY_OF_MONTH("day of month", "1-31", 1, 31),
  MONTH("month", "1-12 or JAN-DEC", 1, 12),
  DAY_OF_WEEK("day of week", "0-7 or SUN-SAT, 0 and 7 both being Sunday", 0, 7),
  YEAR("year", "1970-2099", 1970, 2099);

  private final String label;
  private final String allowed;
  private final int least;
  private final int most;

  CronField(String label, String allowed, int least, int most) {
    this.label = label;
    this.allowed = allowed;
    this.least = least;
    this.most = most;
  }

  /** The fields of an expression with so many of them; empty if there is no such form. */
  static List<CronField> ofForm(int count) {
    List<CronField> all = List.of(values());
    return switch (count) {
      case 5 -> all.subList(1, 6);
      case 6 -> all.subList(0, 6);
      case 7 -> all;
      default -> List.of();
    };
  }

  /** The full names of its values, of which the first three letters are written. */
  private List<String> names() {
    return switch (this) {
      case MONTH -> Stream.of(Month.values()).map(Month::name).toList();
      case DAY_OF_WEEK -> Stream.of(DayOfWeek.values()).map(DayOfWeek::name).toList();
      case SECOND, MINUTE, HOUR, DAY_OF_MONTH, YEAR -> List.of();
    };
  }

  /** The name of a value that a word comes nearest to; the word itself if values have no names. */
  String nearestName(String word) {
    String wanted = word.toUpperCase(Locale.ROOT);
    return names().stream()
        .min(
            Comparator.comparingInt(name ->
                Math.min(Spelling.edits(wanted, name), Spelling.edits(wanted, written(name)))))
        .map(CronField::written)
        .orElse(word);
  }

  private static String written(String name) {
    return name.substring(0, 3);
  }

  String label() {
    return label;
  }

  String allowed() {
    return allowed;
  }

  int least() {
    return least;
  }

  int most() {
    return most;
  }
}
