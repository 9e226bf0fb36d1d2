package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many more runs asleep than a worker has slots; all wake at the same moment. */
class SleepersTest {

  private static final int SLOTS = 10;
  private static final int STARTERS = 16;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final WorkflowType<Instant, Boolean> SLEEPER =
      WorkflowType.of("sleeper", Instant.class, Boolean.class);

  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger mostInside = new AtomicInteger();

  @Test
  void fiveHundredSleepOnOneWorkerOfTenSlots() throws Exception {
    sleepTogether(500, Duration.ofSeconds(15));
  }

  @Test
  @Tag("soak")
  void tenThousandSleepOnOneWorkerOfTenSlots() throws Exception {
    sleepTogether(10_000, Duration.ofMinutes(2));
  }

  private void sleepTogether(int sleepers, Duration untilWakeUp) throws Exception {
    try (Home home = Deployment.REMOTE.open();
        Worker worker = worker(home);
        KagziClient client = KagziClient.connect(home.address());
        Connection database = DriverManager.getConnection(home.jdbcUrl())) {
      worker.start();
      long began = System.nanoTime();
      Instant wakeAt = InstantSource.system().instant().plus(untilWakeUp);

      List<WorkflowHandle<Boolean>> handles = start(client, sleepers, wakeAt);
      Awaitility.await()
          .atMost(untilWakeUp)
          .until(() -> count(database, "SLEEPING"), asleep -> asleep == sleepers);
      Duration fellAsleep = Duration.ofNanos(System.nanoTime() - began);

      Awaitility.await().atMost(untilWakeUp).until(worker::activeCount, held -> held == 0);
      assertThat(handles.getLast().status()).isEqualTo(RunStatus.SLEEPING);
      assertThat(count(database, "RUNNING")).as("leases while all sleep").isZero();
      assertThat(inside).as("threads while all sleep").hasValue(0);

      for (WorkflowHandle<Boolean> handle : handles) {
        assertThat(handle.result(PATIENCE)).as("on time").isTrue();
      }
      Duration woke = Duration.between(wakeAt, InstantSource.system().instant());

      System.out.printf(
          "figure: sleepers.%d asleep in %.1f s, held while all slept: 0 leases, 0 threads;"
              + " most at once %d of %d slots; 0 early, all completed %.1f s after the wake-up%n",
          sleepers, seconds(fellAsleep), mostInside.get(), SLOTS, seconds(woke));
      assertThat(mostInside.get()).isLessThanOrEqualTo(SLOTS);
    }
  }

  private Worker worker(Home home) {
    return Worker.builder(home.address(), "sleepers")
        .maxConcurrent(SLOTS)
        .register(
            SLEEPER,
            (ctx, wakeAt) -> {
              mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
              try {
                ctx.sleepUntil("together", wakeAt);
                return !ctx.now().isBefore(wakeAt);
              } finally {
                inside.decrementAndGet();
              }
            })
        .build();
  }

  private static List<WorkflowHandle<Boolean>> start(
      KagziClient client, int sleepers, Instant wakeAt) {
    Queue<WorkflowHandle<Boolean>> handles = new ConcurrentLinkedQueue<>();
    try (var starters = Executors.newFixedThreadPool(STARTERS)) {
      for (int i = 0; i < sleepers; i++) {
        starters.execute(
            () -> handles.add(client.start(SLEEPER).queue("sleepers").input(wakeAt).send()));
      }
    }
    assertThat(handles).hasSize(sleepers);
    return List.copyOf(handles);
  }

  private static long count(Connection database, String status) throws SQLException {
    String sql = "SELECT count(*) FROM kagzi.workflow_runs WHERE status = ?";
    try (var statement = database.prepareStatement(sql)) {
      statement.setString(1, status);
      try (var rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
