package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.LiveHeap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * Whether memory stays flat over 200,000 workflows: after each tenth of them what server and worker
 * hold in RAM, and what is left in their heaps after a collection. The growth is counted from the
 * third tenth on, when everything has been used once.
 */
final class Soak implements Workload {
  private static final String KEY = WorkloadName.SOAK.key();
  private static final int WORKFLOWS = 200_000;
  private static final int SLICES = 10;
  private static final int FIRST_THAT_COUNTS = 2;

  @Override
  public void run(Arena arena) throws InterruptedException {
    var command =
        "exactly %d %d %d".formatted(WORKFLOWS / SLICES, Throughput.IN_FLIGHT, Throughput.STEPS);
    try (var remote = arena.stage().remoteOn(url -> {})) {
      var heaps = new HashMap<String, List<Double>>();
      for (int slice = 1; slice <= SLICES; slice++) {
        arena.tell(WorkloadName.SOAK, remote, "slice %d of %d".formatted(slice, SLICES));
        double rate = Throughput.perSecond(arena.measure(remote, command).reply());
        arena.figures().add(KEY, remote.name().key(), "wf_per_s", rate);
        for (var part : List.of(Entrant.SERVER, Entrant.WORKER)) {
          note(arena, remote, part, heaps.computeIfAbsent(part, unused -> new ArrayList<>()));
        }
      }
      heaps.forEach((part, values) -> noteGrowth(arena, remote, part, values));
    }
  }

  private static void note(Arena arena, Entrant remote, String part, List<Double> heaps)
      throws InterruptedException {
    var system = remote.name().key();
    remote
        .residentMegabytes(part)
        .ifPresent(value -> arena.figures().add(KEY, system, part + "_rss_mb", value));
    var pid = remote.pid(part);
    if (pid.isPresent()) {
      LiveHeap.megabytes(pid.get())
          .ifPresent(value -> {
            heaps.add(value);
            arena.figures().add(KEY, system, part + "_heap_mb", value);
          });
    }
  }

  private static void noteGrowth(Arena arena, Entrant remote, String part, List<Double> heaps) {
    if (heaps.size() == SLICES) {
      arena
          .figures()
          .add(
              KEY,
              remote.name().key(),
              part + "_heap_growth_mb",
              heaps.getLast() - heaps.get(FIRST_THAT_COUNTS));
    }
  }
}
