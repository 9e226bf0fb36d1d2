package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's time: the database's, carried between two samples by a monotonic clock, so that all
 * servers of one database agree and no machine's wall clock matters.
 *
 * <p>A sample counts as of the arrival of the reply that carried it, so engine time never leads the
 * database's. It never runs backwards for a small difference either: it then goes at half speed
 * until the difference is gone. Only a large step back is followed, because the alternative would
 * be to stand still for as long. Thread-safe.
 */
public final class EngineClock implements InstantSource {

  /** A step back of this size is the database's clock being set, not a late reply. */
  static final Duration LARGE_STEP = Duration.ofSeconds(5);

  /** A slower reply may be late because this process stood still, and corrects nothing. */
  private static final Duration TELLING = Duration.ofSeconds(1);

  private final LongSupplier nanoTime;
  private final @Nullable InstantSource given;
  private Instant base;
  private long baseNanos;
  private long nanosToLose;

  /** Starts at the first sample. */
  public EngineClock(Instant firstSample) {
    this(firstSample, System::nanoTime);
  }

  EngineClock(Instant firstSample, LongSupplier nanoTime) {
    this(firstSample, nanoTime, null);
  }

  private EngineClock(Instant first, LongSupplier nanoTime, @Nullable InstantSource given) {
    this.nanoTime = nanoTime;
    this.given = given;
    this.base = first;
    this.baseNanos = nanoTime.getAsLong();
  }

  /** A time that somebody else moves; what the database's clock says is of no interest to it. */
  public static EngineClock given(InstantSource time) {
    return new EngineClock(time.instant(), System::nanoTime, time);
  }

  /** Whether somebody else moves this time, so that nothing may be left to its passing. */
  public boolean isGiven() {
    return given != null;
  }

  @Override
  public synchronized Instant instant() {
    if (given != null) {
      return given.instant().truncatedTo(ChronoUnit.MICROS);
    }
    long elapsed = nanoTime.getAsLong() - baseNanos;
    long lost = Math.min(nanosToLose, elapsed / 2);
    return base.plusNanos(elapsed - lost).truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * Takes in what the database's clock said in a reply that has just arrived.
   *
   * @param roundTrip how long the reply took; the later it comes, the less it says
   * @return how far the engine's time stepped back, if it did
   */
  public synchronized Optional<Duration> sample(Instant databaseTime, Duration roundTrip) {
    if (given != null) {
      return Optional.empty();
    }
    Instant current = instant();
    Duration ahead = Duration.between(databaseTime, current);
    Duration certainlyAhead = ahead.minus(roundTrip);
    if (ahead.isNegative()) {
      restart(databaseTime, 0);
    } else if (certainlyAhead.compareTo(LARGE_STEP) >= 0) {
      restart(databaseTime, 0);
      return Optional.of(ahead);
    } else if (roundTrip.compareTo(TELLING) < 0) {
      restart(current, ahead.toNanos());
    }
    return Optional.empty();
  }

  private void restart(Instant from, long toLose) {
    base = from;
    baseNanos = nanoTime.getAsLong();
    nanosToLose = toLose;
  }
}
