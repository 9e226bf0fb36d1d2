package dev.kagzi.bench.workload;

import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Reply;
import dev.kagzi.bench.report.Figures;
import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.Usage;

/**
 * W1: workflows of five steps per second, in two shapes. {@code wf_per_s}: 128 starts in flight,
 * nobody waits; all workflows that were started, divided by the time until the last has completed.
 * {@code await_wf_per_s}: 100 callers who each start and await.
 */
final class Throughput implements Workload {
  private static final String KEY = WorkloadName.W1.key();
  static final int STEPS = 5;
  static final int IN_FLIGHT = 128;
  private static final int CALLERS = 100;

  /**
   * What runs on a JVM is compiled as it is used, and much of it only after ten thousands of times.
   */
  private static final int WARM_UPS = 3;

  /**
   * Who is given more than this is busy for longer than the round that was asked for, if he is
   * slower, and as long as that if he is as fast.
   */
  private static final int MOST_STARTS_PER_SECOND = 5_000;

  private static final int WARM_UP_STARTS_PER_SECOND = 1_500;

  @Override
  public void run(Arena arena) throws InterruptedException {
    for (var entrant : arena.entrants()) {
      arena.tell(WorkloadName.W1, entrant, "warms up");
      arena.warmUp(entrant, "prepare");
      for (int time = 0; time < WARM_UPS; time++) {
        arena.warmUp(entrant, startsOnly(arena, WARM_UP_STARTS_PER_SECOND));
      }
      if (entrant.can(Ability.AWAIT)) {
        arena.warmUp(entrant, startsAndAwaits(arena));
      }
    }
    for (int round = 0; round < arena.rounds(); round++) {
      for (var entrant : arena.turn(round, any -> true)) {
        arena.tell(WorkloadName.W1, entrant, "starts, round " + (round + 1));
        note(arena, entrant, arena.measure(entrant, startsOnly(arena)));
      }
      for (var entrant : arena.turn(round, any -> any.can(Ability.AWAIT))) {
        arena.tell(WorkloadName.W1, entrant, "starts and awaits, round " + (round + 1));
        noteAwaited(arena, entrant, arena.measure(entrant, startsAndAwaits(arena)));
      }
    }
    noteMemory(arena);
    Comparison.of(arena.figures(), KEY)
        .higherIsBetter("wf_per_s", "")
        .higherIsBetter("await_wf_per_s", "await_");
  }

  static String startsOnly(Arena arena) {
    return startsOnly(arena, MOST_STARTS_PER_SECOND);
  }

  private static String startsOnly(Arena arena, int mostPerSecond) {
    int most = mostPerSecond * arena.seconds();
    return "throughput %d %d %d %d".formatted(arena.millis(), IN_FLIGHT, STEPS, most);
  }

  private static String startsAndAwaits(Arena arena) {
    return "awaited %d %d %d".formatted(arena.millis(), CALLERS, STEPS);
  }

  static double perSecond(Reply reply) {
    return reply.figure("workflows") / reply.figure("seconds");
  }

  private static void note(Arena arena, Entrant entrant, Arena.Measured measured) {
    var figures = arena.figures();
    var system = entrant.name().key();
    var reply = measured.reply();
    figures.add(KEY, system, "wf_per_s", perSecond(reply));
    figures.add(
        KEY, system, "accepted_per_s", reply.figure("workflows") / reply.figure("accepting_s"));
    if (reply.figure("failed_starts") > 0) {
      figures.add(KEY, system, "failed_starts", reply.figure("failed_starts"));
    }
    noteUsage(figures, system, "", measured.usage(), reply.figure("workflows"));
  }

  private static void noteAwaited(Arena arena, Entrant entrant, Arena.Measured measured) {
    var figures = arena.figures();
    var system = entrant.name().key();
    var reply = measured.reply();
    figures.add(KEY, system, "await_wf_per_s", perSecond(reply));
    figures.add(KEY, system, "await_p50_ms", reply.figure("p50_ms"));
    figures.add(KEY, system, "await_p99_ms", reply.figure("p99_ms"));
    noteUsage(figures, system, "await_", measured.usage(), reply.figure("workflows"));
  }

  private static void noteUsage(
      Figures figures, String system, String prefix, Usage usage, double workflows) {
    usage
        .cpuMillis()
        .forEach((part, millis) ->
            figures.add(KEY, system, prefix + part + "_cpu_ms_per_wf", millis / workflows));
    usage
        .database()
        .forEach((name, value) ->
            figures.add(KEY, system, prefix + name + "_per_wf", value / workflows));
  }

  private static void noteMemory(Arena arena) {
    for (var entrant : arena.entrants()) {
      for (var part : entrant.partsWithMemory()) {
        entrant
            .residentMegabytes(part)
            .ifPresent(megabytes ->
                arena.figures().add(KEY, entrant.name().key(), part + "_rss_mb", megabytes));
      }
    }
  }
}
