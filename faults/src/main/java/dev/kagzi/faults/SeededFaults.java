package dev.kagzi.faults;

import dev.kagzi.faults.Fault.Action;
import dev.kagzi.faults.FaultyDataSource.Moment;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Hits a share of all statements, each in one of four ways, as a seed chooses: it fails without
 * being executed, it is executed and fails, it is slow, its backend is killed. Thread-safe.
 */
public final class SeededFaults implements FaultPlan {

  /** The four ways. */
  public static final List<Fault> KINDS =
      List.of(
          new Fault(Moment.BEFORE_THE_STATEMENT, Action.LOSE_CONNECTION),
          new Fault(Moment.AFTER_THE_STATEMENT, Action.LOSE_CONNECTION),
          new Fault(Moment.BEFORE_THE_STATEMENT, Action.DELAY),
          new Fault(Moment.BEFORE_THE_STATEMENT, Action.KILL_BACKEND));

  private final Random random;
  private final double shareOfEach;
  private volatile boolean begun;

  /**
   * @param shareOfEach how often each of the four happens, between 0 and a quarter
   */
  public SeededFaults(long seed, double shareOfEach) {
    if (shareOfEach < 0 || shareOfEach * KINDS.size() > 1) {
      throw new IllegalArgumentException(
          "shareOfEach: %s (expected: 0 to %s)".formatted(shareOfEach, 1.0 / KINDS.size()));
    }
    this.random = new Random(seed);
    this.shareOfEach = shareOfEach;
  }

  /** Until then nothing goes wrong. */
  public void begin() {
    begun = true;
  }

  /** From now on nothing goes wrong. */
  public void end() {
    begun = false;
  }

  @Override
  public @Nullable Fault next(String sql) {
    if (!begun) {
      return null;
    }
    int which = (int) (draw() / shareOfEach);
    return which < KINDS.size() ? KINDS.get(which) : null;
  }

  private synchronized double draw() {
    return random.nextDouble();
  }
}
