package dev.kagzi.server.config;

import java.util.Optional;

/** Finds the known name that somebody probably meant. Stateless and thread-safe. */
public final class Suggestion {
  private static final int ALWAYS_NEAR = 2;
  private static final int LETTERS_PER_TYPO = 4;

  private Suggestion() {}

  /** The nearest known name, unless even that one is a different word. */
  public static Optional<String> nearest(String word, Iterable<String> known) {
    String nearest = null;
    var least = Math.max(ALWAYS_NEAR, word.length() / LETTERS_PER_TYPO) + 1;
    for (var candidate : known) {
      if (lacksOnlyItsSection(word, candidate)) {
        return Optional.of(candidate);
      }
      var distance = distance(word, candidate);
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** {@code pool_size} written outside of {@code [database]}. */
  private static boolean lacksOnlyItsSection(String word, String candidate) {
    return candidate.endsWith("." + word);
  }

  /**
   * How many letters to insert, delete, replace or swap with their neighbour to get from a to b.
   */
  static int distance(String a, String b) {
    var costs = new int[a.length() + 1][b.length() + 1];
    for (var i = 0; i <= a.length(); i++) {
      for (var j = 0; j <= b.length(); j++) {
        costs[i][j] = cost(costs, a, b, i, j);
      }
    }
    return costs[a.length()][b.length()];
  }

  private static int cost(int[][] costs, String a, String b, int i, int j) {
    if (i == 0 || j == 0) {
      return i + j;
    }
    var replaced = costs[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
    var least = Math.min(replaced, Math.min(costs[i - 1][j], costs[i][j - 1]) + 1);
    return isSwap(a, b, i, j) ? Math.min(least, costs[i - 2][j - 2] + 1) : least;
  }

  private static boolean isSwap(String a, String b, int i, int j) {
    return i > 1
        && j > 1
        && a.charAt(i - 1) == b.charAt(j - 2)
        && a.charAt(i - 2) == b.charAt(j - 1);
  }
}
