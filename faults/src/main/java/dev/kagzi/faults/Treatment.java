package dev.kagzi.faults;

import java.time.Duration;
import java.util.Set;

/** How a proxy treats the bytes that come by; a change puts another one in its place. */
record Treatment(Duration delay, long bytesPerSecond, Set<Direction> swallowed) {

  static final Treatment PASS = new Treatment(Duration.ZERO, Long.MAX_VALUE, Set.of());

  Treatment withDelay(Duration longer) {
    return new Treatment(longer, bytesPerSecond, swallowed);
  }

  Treatment withRate(long rate) {
    return new Treatment(delay, rate, swallowed);
  }

  Treatment swallowing(Direction... directions) {
    return new Treatment(delay, bytesPerSecond, Set.of(directions));
  }

  boolean swallows(Direction direction) {
    return swallowed.contains(direction);
  }

  boolean isBlackHole() {
    return swallowed.size() == Direction.values().length;
  }

  /** How long this many bytes take at the rate in force. */
  long nanosFor(int bytes) {
    return bytesPerSecond == Long.MAX_VALUE
        ? 0
        : Math.round(bytes * (double) Duration.ofSeconds(1).toNanos() / bytesPerSecond);
  }

  /** The most bytes to hand on at once, so that a slow link trickles and does not gush. */
  int pieceOf(int bytes) {
    return (int) Math.min(bytes, Math.max(1, bytesPerSecond / 20));
  }
}
