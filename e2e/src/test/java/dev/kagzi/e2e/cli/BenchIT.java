package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@Order(1)
@ResourceLock(Lanes.COMMAND)
class BenchIT {
  @TempDir Path folder;

  /**
   * What is tried is not how fast it is, and machine code for one second is not worth its price.
   */
  private static final Map<String, String> UNHURRIED =
      Map.of("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

  @Test
  void measuresKagziAndLeavesNothingBehind() throws Exception {
    try (var bench =
        Command.kagzi(
            folder, UNHURRIED, "bench", "--only", "w1,w2", "--seconds", "1", "--rounds", "1")) {
      assertThat(bench.exitCodeWithin(LONGEST_SECONDS))
          .as("%s%n%s", bench.out(), bench.err())
          .isZero();
      System.out.printf("kagzi bench: %.1f s%n%s%n", bench.seconds(), bench.out());

      var figures = figures(bench.out());
      assertThat(figures)
          .containsEntry("bench.postgres.fsync", "on")
          .containsEntry("bench.postgres.synchronous_commit", "on")
          .containsEntry("bench.thorough", "false");
      for (var key :
          new String[] {
            "w1.remote.wf_per_s",
            "w1.remote.await_wf_per_s",
            "w1.remote.wal_bytes_per_wf",
            "w1.remote.write_tx_per_wf",
            "w1.embedded.wf_per_s",
            "w1.embedded.await_wf_per_s",
            "w2.remote.p50_ms",
            "w2.remote.p99_ms",
            "w2.embedded.p50_ms",
          }) {
        assertThat(figures).containsKey(key);
        assertThat(Double.parseDouble(figures.get(key))).as(key).isPositive();
      }
      assertThat(figures.keySet()).noneMatch(key -> key.startsWith("w3."));
      assertThat(folder.resolve(".kagzi")).isEmptyDirectory();
    }
  }

  private static final int LONGEST_SECONDS = 180;

  private static Map<String, String> figures(String out) {
    return out.lines()
        .takeWhile(line -> !line.isEmpty())
        .map(line -> line.split(": ", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  @Test
  void leavesNothingBehindWhenItIsInterrupted() throws Exception {
    try (var bench =
        Command.kagzi(folder, "bench", "--only", "w2", "--systems", "remote", "--seconds", "60")) {
      bench.awaitErrorLine("w2 remote: warms up");
      var processes = bench.handle().descendants().map(Leftover::new).toList();

      assertThat(bench.interrupt()).isEqualTo(Command.SIGINT);

      assertThat(processes).hasSizeGreaterThan(3).noneMatch(Leftover::isRunning);
      assertThat(folder.resolve(".kagzi")).isEmptyDirectory();
    }
  }

  @Test
  void refusesWhatMakesNoSense() throws Exception {
    try (var unknown = Command.kagzi(folder, "bench", "--only", "w9");
        var distribution = Command.kagzi(folder, "bench", "--peers", "--only", "w1")) {
      assertThat(unknown.exitCode()).isEqualTo(2);
      assertThat(unknown.out()).isEmpty();
      assertThat(unknown.err()).hasLineCount(1).contains("--only: unknown name 'w9'");
      assertThat(distribution.exitCode()).isEqualTo(1);
      assertThat(distribution.err()).contains("not part of a distribution", "in a checkout");
    }
  }
}
