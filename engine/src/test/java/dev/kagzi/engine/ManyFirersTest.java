package dev.kagzi.engine;

import static dev.kagzi.engine.ScheduleFixture.EVERY_SECOND;
import static dev.kagzi.engine.ScheduleFixture.START;
import static dev.kagzi.engine.ScheduleFixture.ahead;
import static dev.kagzi.engine.ScheduleFixture.definition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.loop.ScheduleFirer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Three servers fire the same schedules, lose their connections again and again, and come and go.
 */
@Order(1)
class ManyFirersTest {

  private static final int SERVERS = 3;

  private final List<TestEngine> servers = new CopyOnWriteArrayList<>();
  private final Random random = new Random(1);
  private final List<RunId> pausable = new ArrayList<>();
  private String url = "";
  private long cuts;
  private int steps;
  private int drops;
  private final AtomicReference<Instant> now = new AtomicReference<>(START);

  @BeforeEach
  void startServers() {
    url = TestEngine.migratedUrl();
    for (int i = 0; i < SERVERS; i++) {
      servers.add(start(i));
    }
  }

  private TestEngine start(int server) {
    return TestEngine.on(
        TestEngine.open(url + (url.contains("?") ? "&" : "?") + "ApplicationName=k" + server));
  }

  @AfterEach
  void stopServers() {
    servers.forEach(TestEngine::close);
  }

  @Test
  void tenThousandTicksFireOnceThoughServersAreCutOffAndSchedulesRest() {
    int schedules = 50;
    int ticks = 200;
    for (int i = 0; i < schedules; i++) {
      pausable.add(
          ahead(
              servers.get(0),
              definition(null, EVERY_SECOND, "UTC", 10_000, OverlapPolicy.ALLOW),
              START));
    }

    long begun = System.nanoTime();
    letTimePass(START.plusSeconds(ticks));

    long fired = count("FROM kagzi.schedule_firings WHERE run_id IS NOT NULL");
    long runs = count("FROM kagzi.workflow_runs WHERE schedule_group_id IS NOT NULL");
    long ticksWithARun =
        count(
            "FROM (SELECT DISTINCT schedule_group_id, fire_at FROM kagzi.workflow_runs"
                + " WHERE schedule_group_id IS NOT NULL) AS ticks");
    System.out.printf(
        "schedules.firings: %d, runs: %d, ticks with a run: %d, expected: %d, connections cut: %d"
            + " times, servers dropped: %d times, %.1f s%n",
        fired,
        runs,
        ticksWithARun,
        schedules * ticks,
        cuts,
        drops,
        (System.nanoTime() - begun) / 1e9);
    assertThat(List.of(fired, runs, ticksWithARun)).containsOnly((long) schedules * ticks);
    assertThat(cuts).isPositive();
    assertThat(drops).isPositive();
  }

  @Test
  void halfAnHourWithoutServersIsCaughtUpAndTheRestIsRecorded() {
    int missed = 30 * 60;
    Map<RunId, Integer> schedules = new LinkedHashMap<>();
    for (int maxCatchup : List.of(0, 1, 100, 1000, 5000)) {
      RunId id =
          ahead(
              servers.get(0),
              definition(null, EVERY_SECOND, "UTC", maxCatchup, OverlapPolicy.ALLOW),
              START);
      schedules.put(id, maxCatchup);
    }

    now.set(START.plusSeconds(missed));
    letTimePass(now.get());

    schedules.forEach((id, maxCatchup) -> {
      String ofIt = "FROM kagzi.schedule_firings WHERE schedule_id = '%s' AND ".formatted(id);
      long expected = Math.min(maxCatchup, missed);
      String recent = "fire_at > '%s'".formatted(START.plusSeconds(missed - expected));
      assertThat(count(ofIt + "outcome = 'FIRED' AND " + recent)).isEqualTo(expected);
      assertThat(count(ofIt + "skip_reason = 'CATCHUP' AND NOT " + recent))
          .isEqualTo(missed - expected);
      assertThat(count("FROM kagzi.workflow_runs WHERE schedule_group_id = '%s'".formatted(id)))
          .isEqualTo(expected);
    });
    assertThat(cuts).isPositive();
    System.out.printf(
        "schedules.standstill: %d ticks of %d schedules fired or recorded, connections cut: %d"
            + " times%n",
        count("FROM kagzi.schedule_firings"), schedules.size(), cuts);
  }

  /**
   * Moves the time in steps of its own while all servers fire and one after another is cut off or
   * gone for a moment.
   */
  private void letTimePass(Instant end) {
    AtomicBoolean done = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < SERVERS; i++) {
        int server = i;
        threads.execute(() -> fireUntil(done, server));
      }
      try {
        while (now.get().isBefore(end)) {
          Instant next = now.get().plusSeconds(1 + random.nextInt(6));
          now.set(next.isAfter(end) ? end : next);
          cutOffOne();
          if (++steps % 8 == 0) {
            dropOne();
          }
          pauseAnother();
          // Seldom, so that ticks pile up as well.
          if (random.nextInt(5) == 0) {
            awaitFiredUpTo(now.get());
          }
        }
        pausable.forEach(this::resume);
        awaitFiredUpTo(end);
      } finally {
        done.set(true);
      }
    }
  }

  /** One schedule rests at a time, and goes on when the next one does. */
  private void pauseAnother() {
    if (!pausable.isEmpty()) {
      resume(pausable.get(0));
      Collections.rotate(pausable, 1);
      any().scheduling().schedules().pause(TestEngine.NAMESPACE, pausable.get(0).toString(), "");
    }
  }

  private void resume(RunId schedule) {
    any().scheduling().schedules().resume(TestEngine.NAMESPACE, schedule.toString());
  }

  private Engine any() {
    return servers.get(random.nextInt(SERVERS)).engine();
  }

  private void fireUntil(AtomicBoolean done, int server) {
    while (!done.get()) {
      var firings = servers.get(server).engine().scheduling().firings();
      try {
        new ScheduleFirer(firings, 10, 100).runOnce(now.get());
      } catch (RuntimeException cutOffOrClosed) {
        // The next turn finds what this one left.
      }
    }
  }

  /** Closes a server in the middle of whatever it does, and starts it anew. */
  private void dropOne() {
    int server = random.nextInt(SERVERS);
    servers.get(server).close();
    servers.set(server, start(server));
    drops++;
  }

  private void cutOffOne() {
    cuts +=
        count(
            """
            FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND application_name = 'k%d' AND state <> 'idle') AS cut
            """
                .formatted(random.nextInt(SERVERS)));
  }

  private void awaitFiredUpTo(Instant moment) {
    String behind =
        "FROM kagzi.workflow_runs WHERE status = 'SCHEDULED' AND last_fired_at < '%s'"
            .formatted(moment);
    await()
        .pollInSameThread()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> {
          if (random.nextInt(4) == 0) {
            cutOffOne();
          }
          return count(behind) == 0;
        });
  }

  private long count(String what) {
    return servers
        .get(0)
        .database()
        .inTransaction(
            tx -> tx.assembled("SELECT count(*) AS n " + what).only(row -> row.bigint("n")));
  }
}
