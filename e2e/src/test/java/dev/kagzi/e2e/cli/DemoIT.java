package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@Order(1)
@ResourceLock(Lanes.COMMAND)
class DemoIT {
  private static final double LONGEST = 30;

  @TempDir Path folder;

  @Test
  void showsThatAKilledWorkerLosesAndRepeatsNothing() throws Exception {
    try (var demo = Command.kagzi(folder, "demo")) {
      demo.awaitLine("executed charge-card");
      var processes = processesOf(demo);

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
      assertThat(processes).noneMatch(Leftover::isRunning);
      assertThat(folder).isEmptyDirectory();
    }
  }

  private static List<Leftover> processesOf(Command demo) {
    return demo.handle().descendants().map(Leftover::new).toList();
  }

  @Test
  void leavesNothingBehindWhenItIsInterrupted() throws Exception {
    try (var demo = Command.kagzi(folder, "demo")) {
      demo.awaitLine("run started");
      var processes = processesOf(demo);

      assertThat(demo.interrupt()).isEqualTo(Command.SIGINT);

      assertThat(demo.err()).isEmpty();
      assertThat(processes).isNotEmpty().noneMatch(Leftover::isRunning);
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void itsProcessesEndWithItWhenItIsKilled() throws Exception {
    try (var demo = Command.kagzi(folder, "demo")) {
      demo.awaitLine("executed charge-card");
      var processes = processesOf(demo);

      assertThat(demo.kill()).isEqualTo(Command.SIGKILL);

      assertThat(processes).isNotEmpty().allSatisfy(Leftover::awaitEnd);
    }
  }
}
