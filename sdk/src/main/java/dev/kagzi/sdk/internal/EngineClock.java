package dev.kagzi.sdk.internal;

import com.google.protobuf.Timestamp;
import java.time.Instant;

/**
 * The engine's time as far as a worker knows it: what the server said last, carried on by the
 * monotonic clock. The worker's own wall clock is not asked. Immutable and thread-safe.
 */
final class EngineClock {

  private final Instant sample;
  private final long sampledAtNanos;

  EngineClock(Timestamp engineTime, long receivedAtNanos) {
    this.sample = WireTimes.toInstant(engineTime);
    this.sampledAtNanos = receivedAtNanos;
  }

  Instant now() {
    return sample.plusNanos(System.nanoTime() - sampledAtNanos);
  }
}
