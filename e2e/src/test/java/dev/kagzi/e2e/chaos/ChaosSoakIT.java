package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Half an hour of faults, or as many minutes as {@code -Dkagzi.chaos.minutes=} says, with figures
 * about how quickly everything is back; they are written to {@code target/soak}.
 */
@Isolated
@Tag("soak")
class ChaosSoakIT {
  private static final int USUAL_MINUTES = 30;
  private static final int PER_SECOND = 32;
  private static final Floors PER_HALF_HOUR = new Floors(50_000, 40_000, 400, 30, 10, 400, 500);
  private static final double LONGEST_FAIL_OVER_SECONDS = 2;
  private static final double LEAST_RATE = 0.95;
  private static final int LEAST_JUDGED = 10;
  private static final double MOST_MEMORY = 1.1;
  private static final double MOST_WAIT = 1.5;
  private static final int LEAST_SERVER_KILLS = 20;
  private static final Duration SETTLE = Duration.ofMinutes(3);

  /** Twice as often the death of PostgreSQL as in the short form. */
  private static final Adversary.Pace PACE =
      new Adversary.Pace(
          Duration.ofSeconds(2),
          Duration.ofMillis(4500),
          List.of(Fault.KILL_POSTGRES),
          Duration.ofSeconds(14),
          Set.of("server0", "worker0", "worker1"));

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  void nothingIsLostAndEverythingComesBackSoon() throws Exception {
    int minutes = Integer.getInteger("kagzi.chaos.minutes", USUAL_MINUTES);
    long seed = Long.getLong("kagzi.chaos.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    var plan = new Chaos.Plan(seed, Duration.ofMinutes(minutes), PER_SECOND, PACE, 0, SETTLE);

    Chaos.Outcome outcome = Chaos.run(plan, folder);

    var figures = new SoakFigures(outcome);
    var wrong = new ArrayList<>(outcome.faults());
    wrong.addAll(PER_HALF_HOUR.share(minutes, USUAL_MINUTES).missed(outcome));
    wrong.addAll(slow(figures, minutes));
    var report = new SoakReport(figures, wrong);
    report.write(Path.of("target", "soak"));
    System.out.println(report.page());
    assertThat(wrong)
        .as("-Dkagzi.chaos.seed=%d, logs in %s, %s", seed, folder, outcome.mishaps())
        .isEmpty();
  }

  private static List<String> slow(SoakFigures figures, int minutes) {
    var slow = new ArrayList<String>();
    if (figures.serverKills().size() < LEAST_SERVER_KILLS * minutes / USUAL_MINUTES) {
      slow.add("only %d kills of servers could be judged".formatted(figures.serverKills().size()));
    }
    double failOver = SoakFigures.p99(figures.failOvers());
    if (failOver > LONGEST_FAIL_OVER_SECONDS) {
      slow.add("a server's death is felt for %s s".formatted(SoakReport.number(failOver)));
    }
    List<SoakFigures.Return> judged = figures.peacefulReturns();
    if (judged.size() < LEAST_JUDGED * minutes / USUAL_MINUTES) {
      slow.add("only %d returns of PostgreSQL could be judged".formatted(judged.size()));
    }
    judged.stream()
        .filter(back -> back.share() < LEAST_RATE)
        .forEach(back -> slow.add("only " + back));
    if (figures.rateKept() < LEAST_RATE) {
      slow.add("%s of the rate is left".formatted(SoakReport.number(figures.rateKept())));
    }
    // What is not known is not good.
    if (!(figures.memoryGrowth() <= MOST_MEMORY)) {
      slow.add("memory grew to %s".formatted(SoakReport.number(figures.memoryGrowth())));
    }
    if (!(figures.waitGrowth() <= MOST_WAIT)) {
      slow.add("runs took %s of the time".formatted(SoakReport.number(figures.waitGrowth())));
    }
    return slow;
  }
}
