package dev.kagzi.engine.cron;

import java.util.List;

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
