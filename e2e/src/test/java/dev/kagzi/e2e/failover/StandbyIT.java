package dev.kagzi.e2e.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.e2e.recovery.Figures;
import dev.kagzi.e2e.recovery.Ledger;
import dev.kagzi.e2e.recovery.Load;
import dev.kagzi.e2e.recovery.Records;
import dev.kagzi.e2e.recovery.ServerProcess;
import dev.kagzi.e2e.recovery.WorkerProcess;
import dev.kagzi.sdk.client.KagziClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The machine of the database is lost under load and a standby takes over. Two servers know both by
 * one address and go on by themselves.
 */
@Order(1)
@ResourceLock(Lanes.PROCESSES)
class StandbyIT {
  private static final int SOME = 50;
  private static final int MANY = 500;
  private static final int STEPS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path folder;

  @Test
  void aSynchronousStandbyTakesOverAndNothingAcknowledgedIsLost() throws Exception {
    failOver("standby.sync", SOME);
  }

  @Test
  @Tag("soak")
  void aSynchronousStandbyTakesOverUnderLongerLoadAndNothingAcknowledgedIsLost() throws Exception {
    failOver("standby.sync.long", MANY);
  }

  private void failOver(String figure, int starts) throws Exception {
    try (var pair = DatabasePair.synchronous(folder);
        var one = ServerProcess.start(folder, pair.libpqUrl());
        var two = ServerProcess.start(folder, pair.jdbcUrl());
        var worker = WorkerProcess.start(folder, one.address() + "," + two.address());
        var client = KagziClient.connect(one.address() + "," + two.address());
        var load = new Load(client)) {
      load.awaitMore(starts);

      long lostNanos = System.nanoTime();
      pair.failOver();
      Figures.printSeconds(figure + ".promoted_after", lostNanos);

      load.awaitMore(1);
      Figures.printSeconds(figure + ".next_start_after", lostNanos);
      load.awaitMore(starts);
      load.end();
      load.awaitResults();
      load.print(figure);
      var records = new Records(pair.jdbcUrl());
      Figures.print(figure + ".lost", lost(records, load).size());
      assertThat(lost(records, load)).isEmpty();
      assertNoStepIsWrong(figure, records);
      assertThat(records.offlineEvents()).isEmpty();
      assertThat(records.onlineWorkers()).containsExactly(worker.workerId());
      awaitHealth(records, one, two);
    }
  }

  /**
   * A standby that lags has never heard of the last starts and steps. They are lost, as everybody
   * who does without synchronous replication has chosen: runs that it does know may end with steps
   * that only their worker remembers. Nothing else may be wrong.
   */
  @Test
  @Tag("soak")
  void aStandbyThatLagsLosesTheLastCommitsAndNothingElse() throws Exception {
    try (var pair = DatabasePair.asynchronous(folder);
        var one = ServerProcess.start(folder, pair.libpqUrl());
        var two = ServerProcess.start(folder, pair.jdbcUrl());
        var worker = WorkerProcess.start(folder, one.address() + "," + two.address());
        var client = KagziClient.connect(one.address() + "," + two.address())) {
      var records = new Records(pair.jdbcUrl());
      var before = new Load(client);
      before.awaitMore(SOME);
      pair.holdStandbyBack();
      before.awaitMore(SOME);
      before.end();
      pair.failOver();

      try (var after = new Load(client)) {
        after.awaitMore(SOME);
        after.end();
        after.awaitResults();
        await().atMost(PATIENCE).until(() -> records.leftBehind() == 0);
        Figures.print("standby.lag.acknowledged", before.acknowledged() + after.acknowledged());
        Figures.print("standby.lag.lost", lost(records, before).size());
        assertThat(lost(records, before)).isNotEmpty().hasSizeLessThan(before.acknowledged());
        assertThat(lost(records, after)).isEmpty();
      }
      before.close();
      Figures.print("standby.lag.runs_that_miss_steps", wronglySettled(records));
      assertThat(settledTwice(records)).isZero();
      assertThat(notCompleted(records)).isZero();
      assertThat(records.onlineWorkers()).containsExactly(worker.workerId());
      awaitHealth(records, one, two);
    }
  }

  private static List<String> lost(Records records, Load load) throws SQLException {
    var known = records.finishedRuns();
    return load.runIds().stream().filter(run -> !known.contains(run)).toList();
  }

  private void assertNoStepIsWrong(String figure, Records records) throws Exception {
    var ledger = Ledger.in(folder);
    Figures.print(figure + ".steps_executed_again", ledger.repeated().size());
    assertThat(ledger.repeatedAfterAcknowledgement()).isEmpty();
    assertThat(wronglySettled(records)).isZero();
  }

  /** Ended runs whose steps were not each settled once. */
  private static long wronglySettled(Records records) throws SQLException {
    return records.number(
        """
        SELECT count(*)
        FROM kagzi.finished_runs r
        WHERE r.status <> 'COMPLETED'
           OR (SELECT count(*) FROM kagzi.step_runs s WHERE s.run_id = r.run_id AND s.settled)
              <> %1$d
           OR (SELECT count(DISTINCT s.step_key) FROM kagzi.step_runs s
               WHERE s.run_id = r.run_id AND s.settled) <> %1$d
        """
            .formatted(STEPS));
  }

  private static long settledTwice(Records records) throws SQLException {
    return records.number(
        """
        SELECT count(*)
        FROM (SELECT 1 FROM kagzi.step_runs WHERE settled
              GROUP BY run_id, step_key HAVING count(*) > 1) AS twice
        """);
  }

  private static long notCompleted(Records records) throws SQLException {
    return records.number("SELECT count(*) FROM kagzi.finished_runs WHERE status <> 'COMPLETED'");
  }

  /** Beats, listeners and loops are back, without anybody's help. */
  private static void awaitHealth(Records records, ServerProcess... servers) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            records.number(
                    "SELECT count(*) FROM kagzi.nodes"
                        + " WHERE last_beat_at > now() - interval '5 seconds'")
                == servers.length);
    for (var server : servers) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(health(server))
                  .contains("news of other servers arrives")
                  .doesNotContain("DEGRADED", "UNHEALTHY"));
    }
  }

  private static String health(ServerProcess server) throws Exception {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create(server.httpAddress() + "/api/v1/health"));
      return http.send(request.build(), BodyHandlers.ofString()).body();
    }
  }
}
