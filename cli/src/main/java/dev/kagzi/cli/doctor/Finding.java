package dev.kagzi.cli.doctor;

import dev.kagzi.v1.HealthStatus;

/**
 * What one look has found. Immutable.
 *
 * @param text what there is, and what to do about it unless all is well
 */
record Finding(Level level, String text) {

  /** How bad it is. */
  enum Level {
    OK("✔"),
    /** Nobody has looked. */
    UNKNOWN("–"),
    WARNING("!"),
    PROBLEM("✗");

    private final String mark;

    Level(String mark) {
      this.mark = mark;
    }
  }

  static Finding ok(String text) {
    return new Finding(Level.OK, text);
  }

  static Finding unknown(String text) {
    return new Finding(Level.UNKNOWN, text);
  }

  static Finding warning(String text) {
    return new Finding(Level.WARNING, text);
  }

  static Finding problem(String text) {
    return new Finding(Level.PROBLEM, text);
  }

  /** As bad as a server says that a part of it is. */
  static Finding of(HealthStatus status, String text) {
    return new Finding(
        switch (status) {
          case HEALTH_STATUS_HEALTHY -> Level.OK;
          case HEALTH_STATUS_UNHEALTHY -> Level.PROBLEM;
          default -> Level.WARNING;
        },
        text);
  }

  String line() {
    return level.mark + " " + text;
  }
}
