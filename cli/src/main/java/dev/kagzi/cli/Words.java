package dev.kagzi.cli;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the word that somebody probably meant. Stateless and thread-safe. */
final class Words {
  private static final int MOST_TYPOS = 2;

  private Words() {}

  /** The nearest word, unless even that one is a different one. */
  static Optional<String> nearest(String word, Stream<String> known) {
    var most = Math.min(MOST_TYPOS, word.length() - 1);
    return known
        .filter(candidate -> distance(word, candidate) <= most)
        .min(Comparator.comparingInt(candidate -> distance(word, candidate)));
  }

  /** How many letters to insert, delete or replace; a swap of neighbours counts as one. */
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
    var swapped =
        i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, costs[i - 2][j - 2] + 1) : least;
  }
}
