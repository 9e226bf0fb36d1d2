package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoIT {
  private static final double LONGEST = 30;

  @TempDir Path folder;

  @Test
  void showsThatAKilledWorkerLosesAndRepeatsNothing() throws Exception {
    try (var demo = Command.kagzi(folder, "demo")) {
      demo.awaitLine("executed charge-card");
      var processes = demo.handle().descendants().toList();

      assertThat(demo.exitCode()).as("%s%n%s", demo.out(), demo.err()).isZero();
      System.out.printf("kagzi demo: %.1f s%n%s%n", demo.seconds(), demo.out());
      assertThat(demo.seconds()).isLessThan(LONGEST);
      assertThat(demo.out())
          .containsSubsequence(
              "run started",
              "executed reserve-stock (pid ",
              "executed charge-card (pid ",
              "KILLED worker pid ",
              "detected after ",
              "claimed by pid ",
              "replayed x 2 (not executed again)",
              "sleeping until ",
              "replayed x 3 (not executed again)",
              "executed ship-parcel (pid ",
              "executed send-receipt (pid ",
              "result {\"order\":\"A-1001\"",
              "Every side effect happened exactly once");
      assertThat(demo.err()).isEmpty();
      assertThat(stillRunning(processes)).isEmpty();
    }
  }

  private static List<ProcessHandle> stillRunning(List<ProcessHandle> processes) {
    return processes.stream().filter(process -> new Postmaster(process.pid(), 0).isRunning()).toList();
  }

  @Test
  void leavesNothingBehindWhenItIsInterrupted() throws Exception {
    try (var demo = Command.kagzi(folder, "demo")) {
      demo.awaitLine("run started");
      var processes = demo.handle().descendants().toList();
      assertThat(processes).isNotEmpty();

      assertThat(demo.interrupt()).isEqualTo(Command.SIGINT);

      assertThat(demo.err()).isEmpty();
      assertThat(stillRunning(processes)).isEmpty();
    }
  }
}
