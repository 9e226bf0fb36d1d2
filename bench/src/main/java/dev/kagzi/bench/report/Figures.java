package dev.kagzi.bench.report;

import dev.kagzi.bench.driver.Samples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What has been measured: for each key one value per round, and facts that are no numbers. Keeps
 * the order in which keys came. Not thread-safe.
 */
public final class Figures {
  private final Map<FigureKey, List<Double>> values = new LinkedHashMap<>();
  private final Map<String, String> facts = new LinkedHashMap<>();

  /** Notes the value of one round. */
  public void add(FigureKey key, double value) {
    values.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
  }

  /** Notes the value of one round. */
  public void add(String workload, String system, String figure, double value) {
    add(new FigureKey(workload, system, figure), value);
  }

  /** Notes something that was not measured, such as a setting. */
  public void fact(String name, String text) {
    facts.put(name, text);
  }

  public Map<String, String> facts() {
    return facts;
  }

  public List<FigureKey> keys() {
    return List.copyOf(values.keySet());
  }

  /** All rounds of a figure, in order; empty if it was not measured. */
  public List<Double> rounds(FigureKey key) {
    return List.copyOf(values.getOrDefault(key, List.of()));
  }

  /** All rounds of a figure, sorted. */
  public Optional<Samples> samples(FigureKey key) {
    return Optional.ofNullable(values.get(key)).map(Samples::of);
  }

  /** Medians, and where there were several rounds the smallest and the largest value too. */
  public Map<String, Double> flat() {
    var flat = new LinkedHashMap<String, Double>();
    values.forEach((key, rounds) -> {
      var samples = Samples.of(rounds);
      flat.put(key.toString(), samples.median());
      if (rounds.size() > 1) {
        flat.put(key.with("_min").toString(), samples.min());
        flat.put(key.with("_max").toString(), samples.max());
      }
    });
    return flat;
  }
}
