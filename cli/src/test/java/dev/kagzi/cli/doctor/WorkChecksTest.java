package dev.kagzi.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Paint;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.StatsBucket;
import dev.kagzi.v1.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code doctor} makes of the numbers of a namespace. */
class WorkChecksTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private static List<String> lines(List<Finding> findings) {
    return findings.stream().map(finding -> finding.line(Paint.PLAIN)).toList();
  }

  private static Queue.Builder busy(Duration oldest) {
    return Queue.newBuilder()
        .setTaskQueue("shop")
        .setReady(7)
        .setWorkersOnline(1)
        .setSlotsUsed(10)
        .setSlotsTotal(10)
        .setOldestReadyAt(Look.timestamp(NOW.minus(oldest)));
  }

  @Test
  void aQueueIsOverrunWhenNoSlotIsFreeAndTheOldestWaitsLong() {
    var overrun = busy(Duration.ofSeconds(61));

    assertThat(lines(WorkChecks.queue(overrun.build(), NOW)))
        .containsExactly(
            "! queue shop: 7 ready, the oldest for 1m 1s, and 10 of 10 slots busy; start more"
                + " workers");
    assertThat(WorkChecks.queue(busy(Duration.ofSeconds(59)).build(), NOW)).isEmpty();
    assertThat(WorkChecks.queue(overrun.clone().setSlotsUsed(9).build(), NOW)).isEmpty();
    assertThat(WorkChecks.queue(overrun.clone().setReady(0).build(), NOW)).isEmpty();
    assertThat(WorkChecks.queue(overrun.clone().clearOldestReadyAt().build(), NOW)).isEmpty();
  }

  @Test
  void aSilentWorkerIsNamedWithItsHost() {
    var worker =
        Worker.newBuilder()
            .setWorkerId("0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44")
            .setTaskQueue("shop")
            .setHostname("db.internal")
            .setLastHeartbeatAt(Look.timestamp(NOW.minusSeconds(40)))
            .build();

    assertThat(WorkChecks.silent(worker, NOW).line(Paint.PLAIN))
        .isEqualTo(
            "! worker 2f8e1b44 on shop (db.internal): last heard of 40.0s ago; look at its"
                + " process");
  }

  @Test
  void leasesThatRanOutAreAProblemAndLateSchedulesAWarning() {
    var ill = GetStatsResponse.newBuilder().setLeasesExpired(1).setSchedulesLate(2).build();

    assertThat(lines(WorkChecks.statistics(ill)))
        .containsExactly(
            "✗ held under a lease that has run out, with nobody who has taken it back: 1 run; look"
                + " at the server's log; kagzi wf list --status running shows them",
            "! late: 2 schedules; kagzi schedule list shows which",
            "✔ in the last hour 0 runs completed and 0 failed");
    assertThat(WorkChecks.statistics(GetStatsResponse.getDefaultInstance())).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"9, 0, ✔", "10, 9, !", "10, 10, ✔", "1000, 5000, ✔"})
  void manyFailuresAreAWarningOnlyIfFewerRunsComplete(int failed, int completed, String mark) {
    var stats =
        GetStatsResponse.newBuilder()
            .addBuckets(StatsBucket.newBuilder().setFailed(failed))
            .addBuckets(StatsBucket.newBuilder().setCompleted(completed))
            .build();

    assertThat(lines(WorkChecks.statistics(stats)).getLast())
        .startsWith(mark + " in the last hour ")
        .contains("and " + failed + " failed");
  }
}
