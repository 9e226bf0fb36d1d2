package dev.kagzi.cli.doctor;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.kagzi.cli.output.Paint;
import dev.kagzi.v1.HealthStatus;
import java.util.Locale;

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

    private String mark(Paint paint) {
      return switch (this) {
        case OK -> paint.good(mark);
        case UNKNOWN -> paint.faint(mark);
        case WARNING -> paint.odd(mark);
        case PROBLEM -> paint.bad(mark);
      };
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

  String line(Paint paint) {
    return level.mark(paint) + " " + text;
  }

  /** For programs, which have no answer of a server's to read here. */
  Struct message() {
    return Struct.newBuilder()
        .putFields("level", Values.of(level.name().toLowerCase(Locale.ROOT)))
        .putFields("text", Values.of(text))
        .build();
  }
}
