package dev.kagzi.bench.workload;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The workloads; their names are part of the keys of figures. */
public enum WorkloadName {
  /** Throughput of workflows of five steps. */
  W1(true, false),
  /** Latency of workflows of one step. */
  W2(true, false),
  /** One workflow of a thousand steps, and replaying them. */
  W3(true, false),
  /** One workflow that does five hundred things at once. */
  W4(true, false),
  /** Doing nothing. */
  W5(true, false),
  /** W1 with many runs in the tables. */
  W6(true, true),
  /** Memory over many workflows. */
  SOAK(false, true),
  /** More starts than can be served. */
  OVERLOAD(false, true);

  private final boolean usual;
  private final boolean needsOwnSystems;

  WorkloadName(boolean usual, boolean needsOwnSystems) {
    this.usual = usual;
    this.needsOwnSystems = needsOwnSystems;
  }

  /** The word in keys. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it is measured unless something else is asked for. */
  public boolean isUsual() {
    return usual;
  }

  /** Whether it starts systems of its own, with databases of its own. */
  public boolean needsOwnSystems() {
    return needsOwnSystems;
  }

  /** The one with this key. */
  public static Optional<WorkloadName> of(String key) {
    return Arrays.stream(values()).filter(workload -> workload.key().equals(key)).findFirst();
  }

  /** All keys. */
  public static List<String> keys() {
    return Arrays.stream(values()).map(WorkloadName::key).toList();
  }
}
