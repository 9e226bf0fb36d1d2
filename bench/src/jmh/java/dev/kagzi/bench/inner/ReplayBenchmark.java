package dev.kagzi.bench.inner;

import dev.kagzi.bench.driver.Contender;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.replay.Replay;
import dev.kagzi.sdk.replay.WorkflowReplayer;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Going through recorded steps; the reading of the exported history is part of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReplayBenchmark {

  @Param({"10", "1000"})
  public int steps;

  private final WorkflowReplayer replayer =
      WorkflowReplayer.of(
          WorkflowType.of("steps", Integer.class, String.class),
          (ctx, input) -> {
            for (int i = 0; i < steps; i++) {
              ctx.step("step", String.class, () -> Contender.RESULT);
            }
            return "done";
          });
  private String history;

  @Setup
  public void record() {
    history =
        """
        {"format": 1, "runId": "01a1e662-ef26-7142-868e-60581f87ba1c", "type": "steps",
         "version": "", "input": {"json": "1"},
         "outcome": {"status": "COMPLETED", "at": "2026-01-01T00:00:00Z"},
         "history": [%s]}
        """
            .formatted(
                IntStream.rangeClosed(1, steps)
                    .mapToObj(ReplayBenchmark::step)
                    .collect(Collectors.joining(",")));
    if (!replayer.replay(history).matches()) {
      throw new IllegalStateException(replayer.replay(history).toString());
    }
  }

  private static String step(int number) {
    return """
    {"seq": %d, "key": "%s", "kind": "FUNCTION", "status": "COMPLETED", "attempt": 1,
     "settled": true, "output": {"json": "\\"%s\\""}}
    """
        .formatted(number, number == 1 ? "step" : "step#" + number, Contender.RESULT);
  }

  @Benchmark
  public Replay replay() {
    return replayer.replay(history);
  }
}
