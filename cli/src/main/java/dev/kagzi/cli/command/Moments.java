package dev.kagzi.cli.command;

import com.google.protobuf.Timestamp;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.core.Durations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Times as they are typed: {@code 1h} for an hour ago, or RFC 3339. Stateless. */
public final class Moments {
  private Moments() {}

  /** A moment in the past, {@code 1h}, {@code 2026-01-02} or {@code 2026-01-02T12:00:00Z}. */
  public static Timestamp past(String flag, String typed, Instant now) {
    try {
      return Look.timestamp(now.minus(Durations.parse(typed)));
    } catch (IllegalArgumentException noDuration) {
      return Look.timestamp(date(flag, typed));
    }
  }

  private static Instant date(String flag, String typed) {
    try {
      return typed.length() == "2026-01-02".length()
          ? LocalDate.parse(typed).atStartOfDay(ZoneOffset.UTC).toInstant()
          : OffsetDateTime.parse(typed).toInstant();
    } catch (DateTimeException e) {
      throw CommandFailedException.usage(
          "%s: '%s' (expected: a time like 1h or 30m ago, or RFC 3339 like 2026-01-02T12:00:00Z)"
              .formatted(flag, typed));
    }
  }

  public static Duration duration(String flag, String typed) {
    try {
      return Durations.parse(typed);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.usage(flag + ": " + e.getMessage());
    }
  }

  /** A duration as the wire has it. */
  public static com.google.protobuf.Duration wire(String flag, String typed) {
    var duration = duration(flag, typed);
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }
}
