package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.faults.FaultyDataSource.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;

/** Every case at every moment, several at a time. */
final class Matrix implements AutoCloseable {

  /** Before the statement, after it, and when it is done for good but nobody was told. */
  static final List<Moment> MOMENTS =
      List.of(Moment.BEFORE_THE_STATEMENT, Moment.BEFORE_THE_COMMIT, Moment.AFTER_THE_COMMIT);

  /** The promise. */
  private static final Duration PROMISE = Station.LEASE.plusSeconds(3);

  /** A cell of the matrix. */
  record Cell(Object what, Moment moment) {
    @Override
    public String toString() {
      return what + " " + moment;
    }
  }

  private final Victim.Maker victims;
  private final Duration limit;
  private final ExecutorService threads;
  private final ScheduledExecutorService beats = Executors.newScheduledThreadPool(2);
  private final Queue<Lane> idle = new ConcurrentLinkedQueue<>();
  private final Map<Cell, Future<Duration>> results = new LinkedHashMap<>();
  private final long began = System.nanoTime();

  /**
   * @param slack what a busy machine may add to the promise
   */
  Matrix(Victim.Maker victims, int lanes, Duration slack) {
    this.victims = victims;
    this.limit = PROMISE.plus(slack);
    this.threads = Executors.newFixedThreadPool(lanes);
  }

  /** Loops come first: they take longest. */
  static List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Moment moment : MOMENTS) {
      loops().stream()
          .filter(loop -> loop.has(moment))
          .forEach(loop -> cells.add(new Cell(loop, moment)));
    }
    for (Moment moment : MOMENTS) {
      calls().forEach(call -> cells.add(new Cell(call, moment)));
    }
    return cells;
  }

  static List<CallCase> calls() {
    List<CallCase> calls = new ArrayList<>(WorkflowCases.all());
    calls.addAll(StepCases.all());
    calls.addAll(WorkerCases.all());
    calls.addAll(KeeperCases.all());
    return calls;
  }

  static List<LoopCase> loops() {
    List<LoopCase> loops = new ArrayList<>(LoopCases.all());
    loops.addAll(HistoryCases.all());
    return loops;
  }

  Matrix begin(List<Cell> cells) {
    cells.forEach(cell -> results.put(cell, threads.submit(() -> run(cell))));
    return this;
  }

  /** A lane on which something went wrong may be in disorder and is not used again. */
  private Duration run(Cell cell) throws InterruptedException {
    Lane lane = idle.poll();
    if (lane == null) {
      lane = new Lane(victims, beats);
    }
    Duration took;
    try {
      took =
          switch (cell.what()) {
            case CallCase call -> lane.run(call, cell.moment());
            case LoopCase loop -> lane.run(loop, cell.moment());
            default -> throw new IllegalArgumentException(cell.toString());
          };
    } catch (Throwable failure) {
      lane.close();
      throw failure;
    }
    idle.add(lane);
    return took;
  }

  /** Waits for a cell, and throws what went wrong in it. */
  void check(Cell cell) throws Throwable {
    try {
      Duration took = Objects.requireNonNull(results.get(cell)).get();
      assertThat(took).as("from the death to the end of the runs").isLessThan(limit);
    } catch (ExecutionException failure) {
      throw failure.getCause();
    }
  }

  /** What it has taken, once all cells have been checked. */
  void report(String name) throws InterruptedException {
    long longest = 0;
    Cell slowest = null;
    for (var result : results.entrySet()) {
      try {
        long millis = result.getValue().get().toMillis();
        if (millis > longest) {
          longest = millis;
          slowest = result.getKey();
        }
      } catch (ExecutionException failed) {
        // It has been reported as a failed test.
      }
    }
    System.out.printf(
        "figure: %s.cases %d%nfigure: %s.seconds %.1f%nfigure: %s.slowest_recovery_ms %d (%s)%n",
        name, results.size(), name, (System.nanoTime() - began) / 1e9, name, longest, slowest);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    beats.shutdownNow();
    idle.forEach(Lane::close);
  }
}
