package dev.kagzi.bench.inner;

import dev.kagzi.engine.cron.CronTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The next moment of an expression, in a zone with summer time. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CronBenchmark {

  @Param({"* * * * *", "0 9 * * 1-5", "0 0 29 2 *"})
  public String expression;

  private final ZoneId zone = ZoneId.of("Europe/Berlin");
  private final Instant from = Instant.parse("2026-03-28T12:00:00Z");
  private CronTimes times;

  @Setup
  public void parse() {
    times = CronTimes.of(expression, zone);
  }

  @Benchmark
  public Object read() {
    return CronTimes.of(expression, zone);
  }

  @Benchmark
  public Object next() {
    return times.next(from);
  }
}
