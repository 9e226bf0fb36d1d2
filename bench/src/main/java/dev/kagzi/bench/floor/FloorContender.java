package dev.kagzi.bench.floor;

import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Contender;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;

/**
 * PostgreSQL alone. Whoever starts a workflow writes all its rows before the call returns, through
 * one of a few connections; {@link #prepare} finds out how many are best.
 */
public final class FloorContender implements Contender {
  private static final int BATCH = 100;
  private static final List<Integer> POOL_SIZES = List.of(4, 8, 16, 32, 64);
  private static final List<Integer> BATCHED_POOL_SIZES = List.of(1, 2, 4, 8);
  private static final long TRIAL_NANOS = 700_000_000;
  private static final int TRIAL_STEPS = 5;
  private static final double NANOS_PER_MILLI = 1e6;

  private final List<FloorRows> all = new ArrayList<>();
  private final BlockingQueue<FloorRows> free = new LinkedBlockingQueue<>();
  private final boolean batched;
  private final List<Integer> poolSizes;

  private FloorContender(String database, boolean batched) throws SQLException {
    this.batched = batched;
    this.poolSizes = batched ? BATCHED_POOL_SIZES : POOL_SIZES;
    for (int i = 0; i < Collections.max(poolSizes); i++) {
      all.add(new FloorRows(DriverManager.getConnection(database)));
    }
    usePool(poolSizes.get(poolSizes.size() / 2));
  }

  /** One transaction for each operation of each workflow. */
  public static FloorContender perOperation(String database) throws SQLException {
    return new FloorContender(database, false);
  }

  /** One transaction for the same operation of a hundred workflows. */
  public static FloorContender batched(String database) throws SQLException {
    return new FloorContender(database, true);
  }

  private void usePool(int size) {
    free.clear();
    free.addAll(all.subList(0, size));
  }

  @Override
  public Set<Ability> abilities() {
    return batched ? EnumSet.noneOf(Ability.class) : EnumSet.allOf(Ability.class);
  }

  @Override
  public int runsPerStart() {
    return batched ? BATCH : 1;
  }

  /** Tries all pool sizes and keeps the best. */
  @Override
  public void prepare() throws Exception {
    int best = poolSizes.getFirst();
    double bestRate = 0;
    for (int size : poolSizes) {
      usePool(size);
      var unused = trial(size);
      double rate = trial(size);
      System.err.printf("%d connections: %.0f/s%n", size, rate);
      if (rate > bestRate) {
        best = size;
        bestRate = rate;
      }
    }
    System.err.printf("%d connections are best%n", best);
    usePool(best);
  }

  private double trial(int size) throws Exception {
    long began = System.nanoTime();
    var counts =
        inParallel(
            Collections.nCopies(
                size,
                () -> {
                  int runs = 0;
                  while (System.nanoTime() - began < TRIAL_NANOS) {
                    start(TRIAL_STEPS);
                    runs += runsPerStart();
                  }
                  return runs;
                }));
    int runs = counts.stream().mapToInt(Integer::intValue).sum();
    return runs * 1e9 / (System.nanoTime() - began);
  }

  private static List<Integer> inParallel(List<? extends Callable<Integer>> calls)
      throws Exception {
    var results = new ArrayList<Integer>();
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
      for (var call : threads.invokeAll(calls)) {
        results.add(call.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** What one of the connections is lent for. */
  private interface Work {
    void on(FloorRows rows) throws SQLException;
  }

  private void withConnection(Work work) throws SQLException, InterruptedException {
    var rows = free.take();
    try {
      work.on(rows);
    } finally {
      free.add(rows);
    }
  }

  @Override
  public void start(int steps) throws SQLException, InterruptedException {
    withConnection(rows -> rows.execute(FloorRows.newIds(runsPerStart()), steps));
  }

  @Override
  public void awaitAll() {
    // Nothing is under way when the calls have returned.
  }

  @Override
  public void startAndAwait(int steps) throws SQLException, InterruptedException {
    start(steps);
  }

  @Override
  public double[] replay(int steps, int times) throws SQLException, InterruptedException {
    var run = FloorRows.newIds(1);
    var millis = new double[times];
    withConnection(rows -> {
      rows.execute(run, steps);
      for (int i = 0; i < times; i++) {
        long began = System.nanoTime();
        if (rows.readHistory(run[0]) != steps) {
          throw new IllegalStateException("steps are missing");
        }
        millis[i] = (System.nanoTime() - began) / NANOS_PER_MILLI;
      }
    });
    return millis;
  }

  @Override
  public void fanOutSteps(int steps) throws Exception {
    var run = FloorRows.newIds(1);
    withConnection(rows -> {
      rows.start(run);
      rows.claim(run);
    });
    forEach(steps, number -> withConnection(rows -> rows.step(run, number)));
    withConnection(rows -> rows.finish(run));
  }

  @Override
  public void fanOutChildren(int children) throws Exception {
    var parent = FloorRows.newIds(1);
    withConnection(rows -> {
      rows.start(parent);
      rows.claim(parent);
    });
    // A child leaves the result in its parent's history too.
    forEach(
        children,
        number ->
            withConnection(rows -> {
              UUID[] child = FloorRows.newIds(1);
              rows.execute(child, 0);
              rows.step(parent, number);
            }));
    withConnection(rows -> rows.finish(parent));
  }

  /** Something that is done once for each number from 1 on. */
  private interface Numbered {
    void run(int number) throws Exception;
  }

  private static void forEach(int count, Numbered action) throws Exception {
    var unused =
        inParallel(
            IntStream.rangeClosed(1, count)
                .mapToObj(number ->
                    (Callable<Integer>)
                        () -> {
                          action.run(number);
                          return number;
                        })
                .toList());
  }

  @Override
  public void close() {
    all.forEach(FloorRows::close);
  }
}
