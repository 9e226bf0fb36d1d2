package dev.kagzi.testing.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the worker has told the engine about steps, and after which of them it is to be lost.
 * Thread-safe.
 */
public final class StepReports {

  /** A step of a run. */
  public record Place(String runId, String stepKey) {}

  private final Map<Place, Integer> executions = new HashMap<>();
  private final Map<Place, Integer> settledUnder = new LinkedHashMap<>();
  private final List<Place> repeated = new ArrayList<>();
  private final Set<String> crashesAfter = new HashSet<>();
  private final Set<Place> crashesAt = new HashSet<>();
  private final Set<Place> crashed = new HashSet<>();

  /** Has the worker lost after a step of this key, once in each run. */
  public synchronized void crashAfter(String stepKey) {
    crashesAfter.add(stepKey);
  }

  /** Has the worker lost after a step of one run, once. */
  public synchronized void crashAt(Place place) {
    crashesAt.add(place);
  }

  /** An attempt was executed under a lease. */
  synchronized void executed(Place place, int epoch) {
    executions.merge(place, 1, Integer::sum);
    // Who reports under the lease that settled it, or an older one, was at work already.
    Integer settled = settledUnder.get(place);
    if (settled != null && epoch > settled) {
      repeated.add(place);
    }
  }

  /** A result was recorded; returns whether the worker is to be lost before it hears of it. */
  synchronized boolean settled(Place place, int epoch) {
    settledUnder.putIfAbsent(place, epoch);
    boolean wanted = crashesAfter.contains(place.stepKey()) || crashesAt.contains(place);
    return wanted && crashed.add(place);
  }

  public synchronized int executions(Place place) {
    return executions.getOrDefault(place, 0);
  }

  public synchronized boolean isSettled(Place place) {
    return settledUnder.containsKey(place);
  }

  /** Whether the worker was lost there. */
  public synchronized boolean hasCrashedAt(Place place) {
    return crashed.contains(place);
  }

  /** The keys of what a run has recorded, in that order. */
  public synchronized List<String> settledIn(String runId) {
    return keys(runId, List.copyOf(settledUnder.keySet()));
  }

  /** The keys of what a run has executed although it was recorded. */
  public synchronized List<String> repeatedIn(String runId) {
    return keys(runId, repeated);
  }

  private static List<String> keys(String runId, List<Place> places) {
    return places.stream()
        .filter(place -> place.runId().equals(runId))
        .map(Place::stepKey)
        .toList();
  }
}
