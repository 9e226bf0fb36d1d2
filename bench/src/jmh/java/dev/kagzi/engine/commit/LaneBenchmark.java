package dev.kagzi.engine.commit;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** The batcher without what it writes: many callers, one lane, an answer to everybody. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LaneBenchmark {
  private static final int MAX_BATCH = 200;

  private final AtomicInteger subjects = new AtomicInteger();
  private Lane<Ticket<Integer>> lane;

  @Setup
  public void open() {
    lane =
        new Lane<>(
            "jmh", MAX_BATCH, ticket -> ticket.command().toString(), LaneBenchmark::answerAll);
  }

  private static void answerAll(List<Ticket<Integer>> batch) {
    batch.forEach(ticket -> ticket.answer().complete(ticket.command()));
  }

  @Benchmark
  @Threads(64)
  public Object submitAndWait() {
    var ticket = new Ticket<>(subjects.incrementAndGet());
    lane.submit(ticket, 1.0);
    return ticket.answer().join();
  }

  @TearDown
  public void close() {
    lane.close();
  }
}
