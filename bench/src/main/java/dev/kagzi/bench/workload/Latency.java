package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Ability;
import java.util.List;

/** W2: the time to start a workflow of one step and get its result, one after another. */
final class Latency implements Workload {
  private static final String KEY = WorkloadName.W2.key();
  private static final int STEPS = 1;

  @Override
  public void run(Arena arena) throws InterruptedException {
    var command = "latency %d %d".formatted(arena.millis(), STEPS);
    for (var entrant : arena.turn(0, any -> any.can(Ability.AWAIT))) {
      arena.tell(WorkloadName.W2, entrant, "warms up");
      arena.warmUp(entrant, command);
    }
    for (int round = 0; round < arena.rounds(); round++) {
      for (var entrant : arena.turn(round, any -> any.can(Ability.AWAIT))) {
        arena.tell(WorkloadName.W2, entrant, "one at a time, round " + (round + 1));
        var reply = arena.measure(entrant, command).reply();
        for (var figure : List.of("p50_ms", "p90_ms", "p99_ms", "max_ms")) {
          arena.figures().add(KEY, entrant.name().key(), figure, reply.figure(figure));
        }
      }
    }
    Comparison.of(arena.figures(), KEY)
        .lowerIsBetter("p50_ms", "p50_")
        .lowerIsBetter("p99_ms", "p99_");
  }
}
