package dev.kagzi.server.metrics;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.LongStream;

/** The bounds of a histogram: about a dozen, because each is a time series for every label. */
final class Buckets {

  static final Buckets CLAIM = ofMillis(1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 5000);

  static final Buckets SCHEDULE_TO_START =
      ofMillis(5, 10, 25, 50, 100, 250, 500, 1000, 5000, 15_000, 60_000, 300_000);

  static final Buckets STEP =
      ofMillis(5, 10, 50, 100, 250, 500, 1000, 2500, 10_000, 30_000, 120_000, 600_000);

  /** From a twentieth of a second to a day. */
  static final Buckets RUN =
      ofMillis(
          50,
          100,
          500,
          1000,
          5000,
          10_000,
          60_000,
          300_000,
          1_800_000,
          3_600_000,
          21_600_000,
          86_400_000);

  private final Duration[] bounds;

  private Buckets(Duration[] bounds) {
    this.bounds = bounds;
  }

  private static Buckets ofMillis(long... bounds) {
    return new Buckets(LongStream.of(bounds).mapToObj(Duration::ofMillis).toArray(Duration[]::new));
  }

  Timer.Builder timer(String name, String description) {
    return Timer.builder(name).description(description).serviceLevelObjectives(bounds);
  }
}
