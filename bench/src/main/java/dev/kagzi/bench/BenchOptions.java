package dev.kagzi.bench;

import dev.kagzi.bench.system.SystemName;
import dev.kagzi.bench.workload.WorkloadName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured. Immutable.
 *
 * @param workloads in the order in which they are measured
 * @param systems who takes part
 * @param seconds the length of a round
 * @param rounds how many rounds there are
 * @param json whether figures are printed as JSON
 * @param address a server that runs already; nothing if one is to be started
 */
public record BenchOptions(
    List<WorkloadName> workloads,
    List<SystemName> systems,
    int seconds,
    int rounds,
    boolean json,
    @Nullable String address) {
  /** Shorter or fewer rounds are for trying the instrument out. */
  public static final int USUAL_SECONDS = 10;

  public static final int USUAL_ROUNDS = 3;

  public BenchOptions {
    workloads = List.copyOf(workloads);
    systems = List.copyOf(systems);
  }

  /** Whether figures may be relied on. */
  boolean isThorough() {
    return seconds >= USUAL_SECONDS && rounds >= USUAL_ROUNDS;
  }
}
