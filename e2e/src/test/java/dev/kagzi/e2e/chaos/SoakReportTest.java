package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    assertThat(figures.failOvers()).containsExactly(0.5);
    assertThat(figures.recoveries()).containsExactly(1.0);
    assertThat(figures.memoryGrowth()).isEqualTo(1.5);
  }

  @Test
  void writesAPageAndAPlot(@TempDir Path folder) throws Exception {
    new SoakReport(new SoakFigures(outcome()), List.of("something")).write(folder);

    assertThat(Files.readString(folder.resolve("report.md")))
        .contains("Seed 7", "KILL_SERVER 1", "| 0.50 s |", "- something");
    assertThat(Files.readString(folder.resolve("throughput.svg")))
        .startsWith("<svg")
        .contains("<polyline", "KILL_POSTGRES")
        .endsWith("</svg>\n");
  }

  /** Ten runs in every second, one server killed, and later the database. */
  private static Chaos.Outcome outcome() {
    var plan =
        new Chaos.Plan(
            7,
            LENGTH,
            10,
            new Adversary.Pace(Duration.ofSeconds(2), Duration.ofSeconds(5), List.of()),
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
        List.of(
            new Adversary.Hit(Fault.KILL_SERVER, "server0", nanos(10), nanos(11)),
            new Adversary.Hit(Fault.KILL_POSTGRES, "postgres", nanos(20), nanos(22))),
        List.of(),
        List.of(start(nanos(9), nanos(10) + 1), start(nanos(10), nanos(10) + nanos(1) / 2)),
        List.of(
            new Chaos.Memory("server0", 1, nanos(1), 100),
            new Chaos.Memory("server0", 2, nanos(50), 150)),
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
