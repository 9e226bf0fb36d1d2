package dev.kagzi.bench.report;

import dev.kagzi.bench.driver.Samples;
import java.util.Comparator;
import java.util.List;

/** Figures of one system in relation to those of others, round by round. */
public final class Ratios {
  private final Figures figures;

  public Ratios(Figures figures) {
    this.figures = figures;
  }

  /**
   * Notes how many times a system's figure is the best of others'. Which of them is best is decided
   * by their medians; nothing is noted where one side is missing.
   *
   * @param higherIsBetter false for times: then the ratio is above 1 when the system is slower
   */
  public void add(FigureKey of, List<String> others, String name, boolean higherIsBetter) {
    var order = Comparator.comparingDouble((FigureKey key) -> median(key));
    var known =
        others.stream()
            .map(other -> new FigureKey(of.workload(), other, of.figure()))
            .filter(key -> !figures.rounds(key).isEmpty());
    var best = higherIsBetter ? known.max(order) : known.min(order);
    best.ifPresent(other -> {
      var mine = figures.rounds(of);
      var theirs = figures.rounds(other);
      for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
        figures.add(new FigureKey(of.workload(), of.system(), name), mine.get(i) / theirs.get(i));
      }
    });
  }

  private double median(FigureKey key) {
    return figures.samples(key).map(Samples::median).orElse(0.0);
  }
}
