package dev.kagzi.bench.driver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;

/**
 * The loops that put load on a contender, and what they measure. Callers are platform threads, so
 * that no contender suffers from how another one uses virtual threads.
 */
public final class Load {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  /** More than this are no accident. */
  private static final int MOST_FAILURES = 200;

  private final Contender contender;

  /** Load on one contender. */
  public Load(Contender contender) {
    this.contender = contender;
  }

  /**
   * Keeps so many start calls in flight for a while, without anybody waiting for results, and then
   * waits until the last workflow has completed.
   *
   * @param most start calls after which no more are made: who accepts much faster than he works
   *     would keep everybody waiting until he is done
   */
  public Map<String, Double> throughput(long millis, int inFlight, int steps, int most)
      throws Exception {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    var left = new AtomicInteger(most);
    return startWhile(elapsed -> elapsed < nanos && left.getAndDecrement() > 0, inFlight, steps);
  }

  /** Starts so many workflows, and waits until the last has completed. */
  public Map<String, Double> exactly(int workflows, int inFlight, int steps) throws Exception {
    var left = new AtomicInteger(workflows);
    return startWhile(elapsed -> left.getAndDecrement() > 0, inFlight, steps);
  }

  private Map<String, Double> startWhile(LongPredicate more, int inFlight, int steps)
      throws Exception {
    var started = new LongAdder();
    var failures = new ConcurrentLinkedQueue<Exception>();
    long began = System.nanoTime();
    inParallel(
        inFlight,
        () -> {
          while (more.test(System.nanoTime() - began) && failures.size() < MOST_FAILURES) {
            startOne(steps, started, failures);
          }
          return true;
        });
    if (failures.size() >= MOST_FAILURES) {
      throw failures.remove();
    }
    double accepting = secondsSince(began);
    contender.awaitAll();
    var figures = new LinkedHashMap<String, Double>();
    figures.put("workflows", (double) started.sum());
    figures.put("accepting_s", accepting);
    figures.put("seconds", secondsSince(began));
    figures.put("failed_starts", (double) failures.size());
    return figures;
  }

  /** One that fails does not spoil a long measurement, but it is counted and told. */
  @SuppressWarnings("CatchingUnchecked")
  private void startOne(int steps, LongAdder started, Queue<Exception> failures)
      throws InterruptedException {
    try {
      contender.start(steps);
      started.add(contender.runsPerStart());
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(e);
      System.err.println("a start has failed: " + e);
    }
  }

  /** So many callers, each of whom starts a workflow, waits for its result, and starts the next. */
  public Map<String, Double> awaited(long millis, int callers, int steps) throws Exception {
    var latencies = Collections.synchronizedList(new ArrayList<Double>());
    long began = System.nanoTime();
    long deadline = began + TimeUnit.MILLISECONDS.toNanos(millis);
    inParallel(
        callers,
        () -> {
          while (System.nanoTime() < deadline) {
            latencies.add(timeOne(steps));
          }
          return true;
        });
    return withLatencies(latencies, secondsSince(began));
  }

  /** One caller who starts a workflow, waits for its result, and starts the next. */
  public Map<String, Double> latency(long millis, int steps) throws Exception {
    var latencies = new ArrayList<Double>();
    long began = System.nanoTime();
    long deadline = began + TimeUnit.MILLISECONDS.toNanos(millis);
    do {
      latencies.add(timeOne(steps));
    } while (System.nanoTime() < deadline);
    return withLatencies(latencies, secondsSince(began));
  }

  private double timeOne(int steps) throws Exception {
    long began = System.nanoTime();
    contender.startAndAwait(steps);
    return (System.nanoTime() - began) / NANOS_PER_MILLI;
  }

  private static Map<String, Double> withLatencies(List<Double> latencies, double seconds) {
    var samples = Samples.of(latencies);
    var figures = new LinkedHashMap<String, Double>();
    figures.put("workflows", (double) samples.count());
    figures.put("seconds", seconds);
    figures.put("p50_ms", samples.percentile(0.5));
    figures.put("p90_ms", samples.percentile(0.9));
    figures.put("p99_ms", samples.percentile(0.99));
    figures.put("max_ms", samples.max());
    return figures;
  }

  /** How long the contender needs from the arrival of recorded steps to the first new one. */
  public Map<String, Double> replay(int steps, int times) throws Exception {
    var samples = Samples.of(contender.replay(steps, times));
    var figures = new LinkedHashMap<String, Double>();
    figures.put("replay_ms", samples.median());
    figures.put("best_ms", samples.min());
    figures.put("worst_ms", samples.max());
    return figures;
  }

  /** What {@link #repeat} repeats. */
  @FunctionalInterface
  public interface Action {
    /** Does it once. */
    void run() throws Exception;
  }

  /** Does the same again and again for a while, but once at least, and says how long it takes. */
  public static Map<String, Double> repeat(long millis, Action action) throws Exception {
    var times = new ArrayList<Double>();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    do {
      long began = System.nanoTime();
      action.run();
      times.add(secondsSince(began));
    } while (System.nanoTime() < deadline);
    var samples = Samples.of(times);
    var figures = new LinkedHashMap<String, Double>();
    figures.put("median_s", samples.median());
    figures.put("best_s", samples.min());
    figures.put("worst_s", samples.max());
    figures.put("times", (double) samples.count());
    return figures;
  }

  private static void inParallel(int callers, Callable<Boolean> caller) throws Exception {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
      for (var ended : threads.invokeAll(Collections.nCopies(callers, caller))) {
        ended.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static double secondsSince(long began) {
    return (System.nanoTime() - began) / NANOS_PER_SECOND;
  }
}
