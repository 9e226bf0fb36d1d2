package dev.kagzi.server.grpc;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Moments and durations between {@code java.time} and the wire. */
final class TimeMapper {

  private TimeMapper() {}

  static Duration toDuration(com.google.protobuf.Duration wire) {
    return Duration.ofSeconds(wire.getSeconds(), wire.getNanos());
  }

  static com.google.protobuf.Duration toWire(Duration duration) {
    long seconds = duration.getSeconds();
    int nanos = duration.getNano();
    // The wire wants both parts with the same sign; java.time keeps the nanos positive.
    if (seconds < 0 && nanos > 0) {
      seconds++;
      nanos -= 1_000_000_000;
    }
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  static Instant toInstant(Timestamp wire) {
    return Instant.ofEpochSecond(wire.getSeconds(), wire.getNanos());
  }

  static Timestamp toWire(Instant moment) {
    return Timestamp.newBuilder()
        .setSeconds(moment.getEpochSecond())
        .setNanos(moment.getNano())
        .build();
  }
}
