package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Ability;

/**
 * W4: the time for one workflow with five hundred steps beside each other, and for one that starts
 * five hundred children and waits for them.
 */
final class FanOut implements Workload {
  private static final String KEY = WorkloadName.W4.key();

  @Override
  public void run(Arena arena) throws InterruptedException {
    form(arena, Ability.PARALLEL_STEPS, "fan-out-steps", "steps_s");
    form(arena, Ability.CHILDREN, "fan-out-children", "children_s");
    Comparison.of(arena.figures(), KEY)
        .lowerIsBetter("steps_s", "steps_")
        .lowerIsBetter("children_s", "children_");
  }

  private static void form(Arena arena, Ability ability, String name, String figure)
      throws InterruptedException {
    var command = "%s %d".formatted(name, arena.millis());
    for (var entrant : arena.turn(0, any -> any.can(ability))) {
      arena.tell(WorkloadName.W4, entrant, "warms up for " + name);
      arena.warmUp(entrant, command);
    }
    for (int round = 0; round < arena.rounds(); round++) {
      for (var entrant : arena.turn(round, any -> any.can(ability))) {
        arena.tell(WorkloadName.W4, entrant, "%s, round %d".formatted(name, round + 1));
        var reply = arena.measure(entrant, command).reply();
        arena.figures().add(KEY, entrant.name().key(), figure, reply.figure("median_s"));
      }
    }
  }
}
