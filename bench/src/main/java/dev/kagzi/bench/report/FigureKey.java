package dev.kagzi.bench.report;

import java.util.regex.Pattern;

/**
 * The name of a figure: {@code <workload>.<system>.<figure>}, such as {@code w1.remote.wf_per_s}.
 * People write scripts against these names; they are stable. Immutable.
 */
public record FigureKey(String workload, String system, String figure)
    implements Comparable<FigureKey> {
  private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_]*");

  public FigureKey {
    requireWord("workload", workload);
    requireWord("system", system);
    requireWord("figure", figure);
  }

  private static void requireWord(String part, String word) {
    if (!WORD.matcher(word).matches()) {
      throw new IllegalArgumentException(
          "%s: '%s' (expected: small letters, digits and _)".formatted(part, word));
    }
  }

  /** The same with more at the end, such as {@code w1.remote.wf_per_s_min}. */
  FigureKey with(String ending) {
    return new FigureKey(workload, system, figure + ending);
  }

  @Override
  public int compareTo(FigureKey other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return workload + "." + system + "." + figure;
  }
}
