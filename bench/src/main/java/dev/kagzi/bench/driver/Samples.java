package dev.kagzi.bench.driver;

import java.util.Arrays;
import java.util.Collection;

/** Measured values of one kind, sorted. Immutable. */
public final class Samples {
  private final double[] sorted;

  private Samples(double[] values) {
    this.sorted = values.clone();
    Arrays.sort(sorted);
  }

  /** Some values, in any order. */
  public static Samples of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("values: none (expected: at least one)");
    }
    return new Samples(values);
  }

  /** Some values, in any order. */
  public static Samples of(Collection<Double> values) {
    return of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  public int count() {
    return sorted.length;
  }

  public double min() {
    return sorted[0];
  }

  public double max() {
    return sorted[sorted.length - 1];
  }

  /** The value in the middle; of an even number the mean of the two there. */
  public double median() {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** The smallest value that at least this share of all values does not exceed. */
  public double percentile(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share: " + share + " (expected: above 0, at most 1)");
    }
    return sorted[(int) Math.ceil(share * sorted.length) - 1];
  }
}
