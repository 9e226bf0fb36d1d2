package dev.kagzi.bench;

import dev.kagzi.bench.report.Figures;
import dev.kagzi.bench.report.Printer;
import dev.kagzi.bench.report.Progress;
import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.PostgresProbe;
import dev.kagzi.bench.system.Stage;
import dev.kagzi.bench.system.SystemName;
import dev.kagzi.bench.workload.Arena;
import dev.kagzi.bench.workload.Workload;
import dev.kagzi.bench.workload.WorkloadName;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One measurement from the first process to the last line. For one use; not thread-safe. */
public final class Bench {
  private final BenchOptions options;
  private final Stage stage;
  private final Progress progress;
  private final Figures figures = new Figures();

  /**
   * Prepares a measurement.
   *
   * @param stage starts the systems
   * @param progress hears what happens meanwhile
   */
  public Bench(BenchOptions options, Stage stage, Progress progress) {
    this.options = options;
    this.stage = stage;
    this.progress = progress;
  }

  /** Notes something about the circumstances that should be known with the figures. */
  public void fact(String name, String text) {
    figures.fact(name, text);
  }

  /**
   * Measures everything that was asked for and prints it.
   *
   * @throws dev.kagzi.bench.system.BenchFailedException if that was not possible
   */
  public void run(PrintStream out) throws InterruptedException {
    noteCircumstances();
    shared();
    onTheirOwn();
    progress.clear();
    print(out);
  }

  private void noteCircumstances() {
    fact("bench.seconds", Integer.toString(options.seconds()));
    fact("bench.rounds", Integer.toString(options.rounds()));
    fact("bench.thorough", Boolean.toString(options.isThorough()));
    fact("bench.processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    fact("bench.java", Runtime.version().toString());
    if (!options.isThorough()) {
      progress.note(
          String.format(
              Locale.ROOT,
              "fewer than %d rounds of %d s: figures show that it works, and nothing else",
              BenchOptions.USUAL_ROUNDS,
              BenchOptions.USUAL_SECONDS));
    }
  }

  /** The workloads for which all systems run beside each other, all but one of them idle. */
  private void shared() throws InterruptedException {
    var workloads = options.workloads().stream().filter(name -> !name.needsOwnSystems()).toList();
    if (workloads.isEmpty()) {
      return;
    }
    progress.now("starts " + String.join(", ", keys(options.systems())));
    var entrants = start();
    try {
      entrants.forEach(this::noteSettings);
      run(workloads, entrants);
    } finally {
      entrants.forEach(Entrant::close);
    }
  }

  private List<Entrant> start() throws InterruptedException {
    return options.address() == null
        ? stage.startAll(options.systems())
        : List.of(stage.at(options.address()));
  }

  private static List<String> keys(List<SystemName> systems) {
    return systems.stream().map(SystemName::key).toList();
  }

  /** All are of the same kind; each is checked. */
  private void noteSettings(Entrant entrant) {
    entrant
        .probe()
        .map(PostgresProbe::checkedSettings)
        .ifPresent(
            settings -> settings.forEach((name, value) -> fact("bench.postgres." + name, value)));
  }

  private void onTheirOwn() throws InterruptedException {
    run(options.workloads().stream().filter(WorkloadName::needsOwnSystems).toList(), List.of());
  }

  private void run(List<WorkloadName> names, List<Entrant> entrants) throws InterruptedException {
    var arena = new Arena(entrants, stage, figures, progress, options.seconds(), options.rounds());
    for (var name : inOrder(names)) {
      Workload.of(name).run(arena);
      progress.measured(figures, name.key());
    }
  }

  /** Doing nothing comes first, before the systems have grown under load. */
  private static List<WorkloadName> inOrder(List<WorkloadName> names) {
    var order = new ArrayList<>(names);
    if (order.remove(WorkloadName.W5)) {
      order.addFirst(WorkloadName.W5);
    }
    return order;
  }

  private void print(PrintStream out) {
    if (options.json()) {
      Printer.json(figures, out);
    } else {
      Printer.lines(figures, out);
      Printer.tables(figures, out);
    }
  }
}
