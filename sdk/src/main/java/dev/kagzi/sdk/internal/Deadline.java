package dev.kagzi.sdk.internal;

import java.time.Duration;

/**
 * A moment on the monotonic clock by which something has to be done. Wall clocks are never
 * compared. Immutable and thread-safe.
 */
final class Deadline {

  private static final Duration FAR = Duration.ofDays(36_500);

  private final long atNanos;

  private Deadline(long atNanos) {
    this.atNanos = atNanos;
  }

  /** So long from now; longer than a hundred years counts as a hundred years. */
  static Deadline after(Duration duration) {
    return after(System.nanoTime(), duration);
  }

  /** So long after an earlier reading of {@link System#nanoTime}. */
  static Deadline after(long nanos, Duration duration) {
    Duration bounded = duration.compareTo(FAR) > 0 ? FAR : duration;
    return new Deadline(nanos + bounded.toNanos());
  }

  /** The time left, never negative. */
  Duration remaining() {
    return Duration.ofNanos(Math.max(0, atNanos - System.nanoTime()));
  }

  boolean hasPassed() {
    return atNanos - System.nanoTime() <= 0;
  }

  /** The shorter of the time left and another duration. */
  Duration atMost(Duration other) {
    Duration left = remaining();
    return left.compareTo(other) < 0 ? left : other;
  }
}
