package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.SystemName;
import dev.kagzi.bench.system.Usage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * W5: what a system costs that has nothing to do: {@code cpu_pct} of one core for server and worker
 * together, or for the one process that is both; transactions per second; memory. All systems at
 * the same time, because none disturbs another.
 */
final class Idle implements Workload {
  private static final String KEY = WorkloadName.W5.key();
  private static final int SECONDS = 30;
  private static final int ENOUGH = 10;

  /** Sessions of PostgreSQL tell their transactions ten seconds after the last at the latest. */
  private static final int SETTLE_SECONDS = 12;

  private static final double PERCENT = 100;

  @Override
  public void run(Arena arena) throws InterruptedException {
    boolean hurried = arena.seconds() < ENOUGH;
    arena.progress().now("w5: all come to rest");
    Thread.sleep((hurried ? 1 : SETTLE_SECONDS) * 1000L);
    arena.rest(arena.entrants());
    int seconds = hurried ? 3 * arena.seconds() : SECONDS;
    arena.progress().now("w5: all do nothing for %d s".formatted(seconds));
    var measured =
        arena.entrants().stream()
            .filter(any -> any.name().isKagzi() || any.name().isPeer())
            .toList();
    var before = new HashMap<SystemName, Usage>();
    long began = System.nanoTime();
    measured.forEach(entrant -> before.put(entrant.name(), entrant.usage()));
    Thread.sleep(seconds * 1000L);
    for (var entrant : measured) {
      var earlier = before.get(entrant.name());
      if (earlier != null) {
        double millis = (System.nanoTime() - began) / 1e6;
        note(arena, entrant, entrant.usage().since(earlier), millis);
      }
    }
  }

  private static void note(Arena arena, Entrant entrant, Usage usage, double millis) {
    var figures = arena.figures();
    var system = entrant.name().key();
    double own = 0;
    for (var part : ownParts(entrant)) {
      own += usage.cpuMillis().getOrDefault(part, 0.0);
      entrant
          .residentMegabytes(part)
          .ifPresent(megabytes -> figures.add(KEY, system, shown(part) + "_rss_mb", megabytes));
    }
    if (!usage.cpuMillis().isEmpty()) {
      figures.add(KEY, system, "cpu_pct", own / millis * PERCENT);
    }
    var postgres = usage.cpuMillis().get(Entrant.POSTGRES);
    if (postgres != null) {
      figures.add(KEY, system, "postgres_cpu_pct", postgres / millis * PERCENT);
    }
    var transactions = usage.database().get(Usage.TRANSACTIONS);
    if (transactions != null) {
      figures.add(KEY, system, "tx_per_s", transactions / millis * 1000);
    }
  }

  /** Where there is a worker, the driver is a mere client, and not part of the system. */
  private static List<String> ownParts(Entrant entrant) {
    var parts = new ArrayList<String>();
    for (var part : List.of(Entrant.SERVER, Entrant.WORKER)) {
      if (entrant.pid(part).isPresent()) {
        parts.add(part);
      }
    }
    return parts.isEmpty() ? List.of(Entrant.DRIVER) : parts;
  }

  private static String shown(String part) {
    return part.equals(Entrant.DRIVER) ? "app" : part;
  }
}
