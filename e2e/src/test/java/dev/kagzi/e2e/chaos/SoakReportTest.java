package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakReportTest {
  private static final Instant STARTED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration LENGTH = Duration.ofSeconds(60);

  @Test
  void saysHowSoonEverythingWasBack() {
    var figures = new SoakFigures(outcome());

    assertThat(figures.rate()).isEqualTo(10);
    assertThat(figures.rateKept()).isEqualTo(1);
    assertThat(figures.failOvers()).containsExactly(0.5, 1.0);
    assertThat(figures.waitGrowth()).isEqualTo(2);
    assertThat(figures.peacefulReturns())
        .extracting(SoakFigures.Return::share)
        .containsExactly(1.0);
    assertThat(figures.memoryGrowth()).isEqualTo(1.5);
  }

  @Test
  void writesAPageAndAPlot(@TempDir Path folder) throws Exception {
    new SoakReport(new SoakFigures(outcome()), List.of("something")).write(folder);

    assertThat(Files.readString(folder.resolve("report.md")))
        .contains("Seed 7", "KILL_SERVER 1", "| 1.00 s |", "- something");
    assertThat(Files.readString(folder.resolve("throughput.svg")))
        .startsWith("<svg")
        .contains("<polyline", "KILL_POSTGRES")
        .endsWith("</svg>\n");
  }

  @Test
  void judgesTheReturnOfTheDatabaseByWhereNothingElseIsWrong() {
    Adversary.Hit kill = hit(Fault.KILL_POSTGRES, "postgres", 20, 22);

    assertThat(judgedIf(kill)).hasSize(1);
    assertThat(judgedIf(kill, hit(Fault.PAUSE_SERVER, "server0", 21, 28))).hasSize(1);
    assertThat(judgedIf(kill, hit(Fault.PAUSE_SERVER, "server0", 21, 30))).isEmpty();
    assertThat(judgedIf(kill, hit(Fault.KILL_BACKENDS, "9 backends", 26, 26))).hasSize(1);
    assertThat(judgedIf(kill, hit(Fault.KILL_BACKENDS, "9 backends", 24, 24))).isEmpty();
  }

  @Test
  void feelsAKillUntilTheProcessServesAgain() {
    Adversary.Hit kill = hit(Fault.KILL_POSTGRES, "postgres", 20, 22);
    var slow = new Adversary.Hit(Fault.KILL_SERVER, "server0", nanos(21), nanos(23), nanos(31));

    assertThat(judgedIf(kill, slow)).isEmpty();
    assertThat(new SoakFigures(outcome(kill, slow)).returns())
        .singleElement()
        .hasToString(
            "1.00 of the rate after the return of PostgreSQL at 2026-01-01T00:00:22Z, beside"
                + " [KILL_SERVER of server0]");
  }

  private static List<SoakFigures.Return> judgedIf(Adversary.Hit... hits) {
    return new SoakFigures(outcome(hits)).peacefulReturns();
  }

  private static Adversary.Hit hit(Fault fault, String target, long from, long to) {
    return new Adversary.Hit(fault, target, nanos(from), nanos(to), nanos(to));
  }

  /** One server killed, and later the database. */
  private static Chaos.Outcome outcome() {
    return outcome(
        hit(Fault.KILL_SERVER, "server0", 10, 11), hit(Fault.KILL_POSTGRES, "postgres", 20, 22));
  }

  /** Ten runs in every second. */
  private static Chaos.Outcome outcome(Adversary.Hit... hits) {
    var plan =
        new Chaos.Plan(
            7,
            LENGTH,
            10,
            new Adversary.Pace(
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                List.of(),
                Duration.ZERO,
                Set.of("server0")),
            0,
            Duration.ofMinutes(1));
    var finished = new TreeMap<Long, Long>();
    for (long second = 0; second < LENGTH.toSeconds(); second++) {
      finished.put(STARTED.getEpochSecond() + second, 10L);
    }
    return new Chaos.Outcome(
        plan,
        List.of(),
        0,
        List.of(),
        List.of(),
        List.of(hits),
        List.of(),
        List.of(
            start(nanos(9), nanos(10) - 1),
            start(nanos(9), nanos(10) + nanos(1) / 2),
            start(nanos(11), nanos(12)),
            start(nanos(12), nanos(15))),
        new Chaos.Seen(
            List.of(
                new Chaos.Memory("server0", 1, nanos(1), 900),
                new Chaos.Memory("server0", 2, nanos(2), 500),
                new Chaos.Memory("server0", 2, nanos(62), 100),
                new Chaos.Memory("server0", 2, nanos(76), 110),
                new Chaos.Memory("server0", 2, nanos(92), 150),
                new Chaos.Memory("worker0", 1, nanos(92), 999)),
            30,
            3,
            180,
            List.of(0.1, 0.1, 0.1, 0.1, 0.1, 0.2)),
        600,
        600,
        5,
        new Throughput(finished),
        STARTED,
        0);
  }

  private static Customer.Ack start(long sentNanos, long doneNanos) {
    return new Customer.Ack(Customer.Kind.START, "job-1", "run", "", sentNanos, doneNanos);
  }

  private static long nanos(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }
}
