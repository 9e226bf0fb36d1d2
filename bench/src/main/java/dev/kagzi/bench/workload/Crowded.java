package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.Entrant;
import java.util.List;
import java.util.function.Consumer;

/**
 * W6: W1 with very many runs in the tables, in relation to W1 on an empty database: five pairs of
 * rounds, alternating, each against an installation of its own.
 */
final class Crowded implements Workload {
  private static final String KEY = WorkloadName.W6.key();
  private static final int PAIRS = 5;
  private static final int FEW = 100_000;
  private static final int MANY = 1_000_000;
  private static final int DUE = 300_000;

  @Override
  public void run(Arena arena) throws InterruptedException {
    compare(arena, "finished_100k", url -> Filling.finished(url, FEW));
    compare(arena, "finished_1m", url -> Filling.finished(url, MANY));
    compare(arena, "due_300k", url -> Filling.due(url, DUE));
  }

  private static void compare(Arena arena, String crowd, Consumer<String> filling)
      throws InterruptedException {
    arena.progress().now("w6 %s: fills the tables".formatted(crowd));
    try (var full = arena.stage().remoteOn(filling);
        var empty = arena.stage().remoteOn(url -> {})) {
      arena.progress().now("w6 %s: warms up".formatted(crowd));
      arena.warmUp(full, Throughput.startsOnly(arena));
      arena.warmUp(empty, Throughput.startsOnly(arena));
      for (int pair = 0; pair < PAIRS; pair++) {
        arena.progress().now("w6 %s: pair %d of %d".formatted(crowd, pair + 1, PAIRS));
        // The one that comes second must not always be the same.
        boolean fullFirst = pair % 2 == 0;
        var both = List.of(full, empty);
        double first = rate(arena, fullFirst ? full : empty, both);
        double second = rate(arena, fullFirst ? empty : full, both);
        double ofFull = fullFirst ? first : second;
        double ofEmpty = fullFirst ? second : first;
        arena.figures().add(KEY, crowd, "ratio", ofFull / ofEmpty);
        arena.figures().add(KEY, crowd, "wf_per_s", ofFull);
        arena.figures().add(KEY, crowd, "empty_wf_per_s", ofEmpty);
      }
    }
  }

  private static double rate(Arena arena, Entrant entrant, List<Entrant> both)
      throws InterruptedException {
    return Throughput.perSecond(arena.measure(entrant, both, Throughput.startsOnly(arena)).reply());
  }
}
