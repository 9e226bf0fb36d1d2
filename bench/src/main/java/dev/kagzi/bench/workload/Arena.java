package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Reply;
import dev.kagzi.bench.report.Figures;
import dev.kagzi.bench.report.Progress;
import dev.kagzi.bench.system.Entrant;
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
  /** Shorter rounds show only that everything works. */
  private static final int ENOUGH_TO_COMPARE = 3;

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
    return measure(entrant, entrants.contains(entrant) ? entrants : List.of(entrant), command);
  }

  /** The same for a system that runs beside others that do not take part in everything. */
  Measured measure(Entrant entrant, List<Entrant> all, String command) throws InterruptedException {
    rest(all);
    var before = entrant.usage();
    var reply = entrant.ask(command, PATIENCE);
    return new Measured(reply, entrant.usage().since(before));
  }

  /** What anybody still does for the last round must not slow down another in the next. */
  void rest(List<Entrant> all) throws InterruptedException {
    var rest = seconds < ENOUGH_TO_COMPARE ? Rest.brief(all) : Rest.of(all);
    if (!rest.isQuiet()) {
      progress.note(
          "%s are not at rest after %.0f s; the next round suffers from it"
              .formatted(names(all), rest.seconds()));
    }
  }

  private static String names(List<Entrant> all) {
    return String.join(", ", all.stream().map(entrant -> entrant.name().key()).toList());
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
