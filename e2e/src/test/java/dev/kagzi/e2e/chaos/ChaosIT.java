package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Three quarters of a minute in which something is killed, paused or cut off every few seconds,
 * while random programs run; {@code -Dkagzi.chaos.seed=} repeats the programs and the faults.
 */
@Isolated
class ChaosIT {
  private static final Duration LENGTH = Duration.ofSeconds(46);
  private static final int PER_SECOND = 26;
  private static final Floors FLOORS = new Floors(1000, 800, 15, 1, 1, 10, 10);
  private static final Adversary.Pace PACE =
      new Adversary.Pace(
          Duration.ofMillis(1600), Duration.ofMillis(2800), List.of(), Duration.ZERO, Set.of());

  /** Long, because other tests of the build may be slow; it is left as soon as all is over. */
  private static final Duration SETTLE = Duration.ofMinutes(2);

  /** Of a failed test it stays: the logs, and the database as it was found. */
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  void nothingIsLostDoubledOrForgottenWhateverIsKilledPausedOrCutOff() throws Exception {
    long seed = Long.getLong("kagzi.chaos.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    var plan = new Chaos.Plan(seed, LENGTH, PER_SECOND, PACE, (int) FLOORS.faults(), SETTLE);

    Chaos.Outcome outcome = Chaos.run(plan, folder);

    System.out.printf(
        "figure: chaos.short seed %d, %d runs, %d faults, %d fenced, %d of %d looks in peace%n",
        seed,
        outcome.runs(),
        outcome.hits().size(),
        outcome.fenced(),
        outcome.seen().peaceful(),
        outcome.seen().looks());
    var wrong = new ArrayList<>(outcome.faults());
    wrong.addAll(FLOORS.missed(outcome));
    assertThat(wrong)
        .as(
            "-Dkagzi.chaos.seed=%d, logs in %s, faults:%n%s%n%s",
            seed, folder, outcome.hits(), outcome.mishaps())
        .isEmpty();
  }
}
