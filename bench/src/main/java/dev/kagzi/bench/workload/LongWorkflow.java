package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Ability;

/**
 * W3: the steps per second of one workflow that takes a thousand, one after another; and how long
 * it takes from the arrival of a workflow with a thousand recorded steps to its first new one.
 */
final class LongWorkflow implements Workload {
  private static final String KEY = WorkloadName.W3.key();
  private static final int STEPS = 1_000;
  private static final int REPLAYS = 7;

  @Override
  public void run(Arena arena) throws InterruptedException {
    var steps = "sequence %d %d".formatted(arena.millis(), STEPS);
    var replay = "replay %d %d".formatted(STEPS, REPLAYS);
    for (var entrant : arena.turn(0, any -> any.can(Ability.AWAIT))) {
      arena.tell(WorkloadName.W3, entrant, "warms up");
      arena.warmUp(entrant, steps);
      if (entrant.can(Ability.REPLAY)) {
        arena.warmUp(entrant, replay);
      }
    }
    for (int round = 0; round < arena.rounds(); round++) {
      for (var entrant : arena.turn(round, any -> any.can(Ability.AWAIT))) {
        arena.tell(WorkloadName.W3, entrant, "a thousand steps, round " + (round + 1));
        var reply = arena.measure(entrant, steps).reply();
        arena
            .figures()
            .add(KEY, entrant.name().key(), "steps_per_s", STEPS / reply.figure("median_s"));
      }
      for (var entrant : arena.turn(round, any -> any.can(Ability.REPLAY))) {
        arena.tell(WorkloadName.W3, entrant, "replay, round " + (round + 1));
        var reply = arena.measure(entrant, replay).reply();
        arena.figures().add(KEY, entrant.name().key(), "replay_ms", reply.figure("replay_ms"));
      }
    }
    Comparison.of(arena.figures(), KEY)
        .higherIsBetter("steps_per_s", "")
        .lowerIsBetter("replay_ms", "replay_");
  }
}
