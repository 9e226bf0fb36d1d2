package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Reply;
import dev.kagzi.bench.report.Figures;
import dev.kagzi.bench.report.Progress;
import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.PostgresProbe;
import dev.kagzi.bench.system.Stage;
import dev.kagzi.bench.system.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where systems meet: who takes part, how long rounds are, and where figures go.
 *
 * @param entrants the systems that share the workloads; each has processes of its own
 * @param stage starts more systems
 * @param seconds how long a round is
 * @param rounds how many there are
 */
public record Arena(
    List<Entrant> entrants,
    Stage stage,
    Figures figures,
    Progress progress,
    int seconds,
    int rounds) {
  private static final long LOOK_MILLIS = 300;
  private static final int QUIET_TRIES = 20;

  /** The share of a core below which a system counts as idle, in milliseconds of a look. */
  private static final double QUIET_CPU_MILLIS = 0.1 * LOOK_MILLIS;

  /** Much longer than any round should take, so that only what hangs is given up. */
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  /** What came of a round. */
  record Measured(Reply reply, Usage usage) {}

  int millis() {
    return seconds * 1000;
  }

  /** Has a system do something that is not measured. */
  void warmUp(Entrant entrant, String command) throws InterruptedException {
    var unused = entrant.ask(command, PATIENCE);
  }

  /** Has a system do something, after everybody has come to rest, and says what it took. */
  Measured measure(Entrant entrant, String command) throws InterruptedException {
    entrant.probe().ifPresent(PostgresProbe::checkpoint);
    awaitQuiet(entrants.contains(entrant) ? entrants : List.of(entrant));
    var before = entrant.usage();
    var reply = entrant.ask(command, PATIENCE);
    return new Measured(reply, entrant.usage().since(before));
  }

  /** What a system still does for the last round must not slow down another in the next. */
  static void awaitQuiet(List<Entrant> entrants) throws InterruptedException {
    for (int i = 0; i < QUIET_TRIES; i++) {
      double before = cpuMillis(entrants);
      Thread.sleep(LOOK_MILLIS);
      if (cpuMillis(entrants) - before < QUIET_CPU_MILLIS) {
        return;
      }
    }
  }

  private static double cpuMillis(List<Entrant> entrants) {
    return entrants.stream().mapToDouble(entrant -> entrant.usage().cpuMillisOfAll()).sum();
  }

  /** Those who can, in an order that is another one in each round. */
  List<Entrant> turn(int round, Predicate<Entrant> can) {
    var order = new ArrayList<>(entrants.stream().filter(can).toList());
    if (!order.isEmpty()) {
      Collections.rotate(order, -(round % order.size()));
    }
    return order;
  }

  /** Says what is going on, with the place in the whole. */
  void tell(WorkloadName workload, Entrant entrant, String what) {
    progress.now("%s %s: %s".formatted(workload.key(), entrant.name().key(), what));
  }
}
