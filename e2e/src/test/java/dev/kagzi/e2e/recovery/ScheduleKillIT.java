package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Three servers fire the same schedules every second and are killed with kill -9 at random. */
@ResourceLock(Lanes.PROCESSES)
@Tag("soak")
class ScheduleKillIT {
  private static final int SERVERS = 3;
  private static final int SCHEDULES = 50;
  private static final int TICKS = 10_000;
  private static final int FEWEST_KILLS = 8;
  private static final int MAX_CATCHUP = 10_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();
  private final Records records = new Records(database);
  private final Random random = new Random(8);

  @Test
  void everyTickFiresOnceThoughServersAreKilled() throws Exception {
    ScheduleRecords ticks = new ScheduleRecords(records);
    int kills = 0;
    try (var first = ServerProcess.start(folder, database);
        var second = ServerProcess.start(folder, database);
        var third = ServerProcess.start(folder, database)) {
      List<ServerProcess> servers = List.of(first, second, third);
      List<String> schedules = createSchedules(first.address());

      do {
        awaitFurtherFirings();
        Thread.sleep(random.nextLong(1000));
        kills++;
        // Now and then all of them, so that ticks are missed and caught up.
        kill(kills % 4 == 0 ? servers : List.of(servers.get(random.nextInt(SERVERS))));
      } while (ticks.expected() < TICKS);
      awaitFurtherFirings();
      pause(first.address(), schedules);
    }

    Figures.print("schedules.kills", kills);
    Figures.print("schedules.expected_ticks", ticks.expected());
    Figures.print("schedules.firings", ticks.firings());
    Figures.print("schedules.runs", ticks.runs());
    assertThat(kills).isGreaterThanOrEqualTo(FEWEST_KILLS);
    assertThat(ticks.expected()).isGreaterThanOrEqualTo(TICKS);
    assertThat(ticks.firings()).isEqualTo(ticks.expected());
    assertThat(ticks.runs()).isEqualTo(ticks.expected());
    assertThat(ticks.ticksWithARun()).isEqualTo(ticks.expected());
  }

  private static void kill(List<ServerProcess> victims) throws Exception {
    for (ServerProcess victim : victims) {
      victim.kill();
    }
    for (ServerProcess victim : victims) {
      victim.startAgain();
    }
  }

  private static List<String> createSchedules(String address) {
    List<String> ids = new ArrayList<>();
    try (var client = KagziClient.connect(address)) {
      for (int i = 0; i < SCHEDULES; i++) {
        ids.add(
            client
                .schedules()
                .create("nobody-works-on-it", "* * * * * *")
                .queue("nobody")
                .maxCatchup(MAX_CATCHUP)
                .send()
                .id());
      }
    }
    return ids;
  }

  private void awaitFurtherFirings() throws Exception {
    ScheduleRecords ticks = new ScheduleRecords(records);
    long before = ticks.firings();
    await().atMost(PATIENCE).until(() -> ticks.firings() >= before + 2 * SCHEDULES);
  }

  private static void pause(String address, List<String> schedules) {
    try (var client = KagziClient.connect(address)) {
      schedules.forEach(id -> client.schedules().pause(id, "counted"));
    }
  }

  /** What the database says about all schedules together. */
  private record ScheduleRecords(Records records) {

    /** One for every second from the creation of a schedule to where it has been fired. */
    long expected() throws Exception {
      return records.number(
          "SELECT sum(floor(extract(epoch FROM last_fired_at))"
              + " - floor(extract(epoch FROM created_at)))::int8"
              + " FROM kagzi.workflow_runs WHERE cron_expr IS NOT NULL");
    }

    long firings() throws Exception {
      return records.number("SELECT count(*) FROM kagzi.schedule_firings WHERE outcome = 'FIRED'");
    }

    long runs() throws Exception {
      return records.number(
          "SELECT count(*) FROM kagzi.workflow_runs WHERE schedule_group_id IS NOT NULL");
    }

    long ticksWithARun() throws Exception {
      return records.number(
          "SELECT count(DISTINCT (schedule_group_id, fire_at)) FROM kagzi.workflow_runs"
              + " WHERE schedule_group_id IS NOT NULL");
    }
  }
}
