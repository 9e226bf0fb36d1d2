package dev.kagzi.sdk.internal;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Moments and durations between {@code java.time} and the wire. */
final class WireTimes {

  private WireTimes() {}

  static Duration toDuration(com.google.protobuf.Duration duration) {
    return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  static com.google.protobuf.Duration fromDuration(Duration duration) {
    long seconds = duration.getSeconds();
    int nanos = duration.getNano();
    // The wire wants both parts with the same sign; java.time keeps the nanos positive.
    if (seconds < 0 && nanos > 0) {
      seconds++;
      nanos -= 1_000_000_000;
    }
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  /** Refuses a time that would be over before it begins; {@code what} names it. */
  static com.google.protobuf.Duration positive(String what, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(what + ": " + value + " (expected: > 0)");
    }
    return fromDuration(value);
  }

  static Instant toInstant(Timestamp timestamp) {
    return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
  }

  static Timestamp fromInstant(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
