package dev.kagzi.bench.workload;

import dev.kagzi.bench.report.FigureKey;
import dev.kagzi.bench.report.Figures;
import dev.kagzi.bench.report.Ratios;
import dev.kagzi.bench.system.SystemName;
import java.util.Arrays;
import java.util.List;

/** Notes how Kagzi's figures relate to those of the best peer, of each peer and of the floor. */
final class Comparison {
  private final Figures figures;
  private final String workload;

  private Comparison(Figures figures, String workload) {
    this.figures = figures;
    this.workload = workload;
  }

  static Comparison of(Figures figures, String workload) {
    return new Comparison(figures, workload);
  }

  /** Compares a figure such as a throughput; names begin with the prefix. */
  Comparison higherIsBetter(String figure, String prefix) {
    return compare(figure, prefix, true);
  }

  /** Compares a figure such as a time: a ratio below 1 is good. */
  Comparison lowerIsBetter(String figure, String prefix) {
    return compare(figure, prefix, false);
  }

  private Comparison compare(String figure, String prefix, boolean higherIsBetter) {
    var ratios = new Ratios(figures);
    for (var kagzi : Arrays.stream(SystemName.values()).filter(SystemName::isKagzi).toList()) {
      var mine = new FigureKey(workload, kagzi.key(), figure);
      ratios.add(mine, peers(), prefix + "vs_best_peer", higherIsBetter);
      for (var other : SystemName.values()) {
        if (!other.isKagzi()) {
          ratios.add(mine, List.of(other.key()), prefix + "vs_" + other.key(), higherIsBetter);
        }
      }
    }
    return this;
  }

  private static List<String> peers() {
    return Arrays.stream(SystemName.values())
        .filter(SystemName::isPeer)
        .map(SystemName::key)
        .toList();
  }
}
