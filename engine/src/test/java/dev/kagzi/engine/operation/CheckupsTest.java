package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.Health;
import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.domain.WorkerPatience;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckupsTest {

  private TestEngine kagzi;
  private Checkups checkups;

  @BeforeEach
  void start() {
    kagzi = TestEngine.start();
    checkups =
        new Checkups(kagzi.database(), kagzi.engine().clock(), WorkerPatience.USUAL.warning());
    await().until(() -> kagzi.engine().isListening());
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void namesEveryPartAndEveryLoop() {
    List<ComponentHealth> parts = kagzi.engine().checkUp();

    assertThat(parts)
        .extracting(ComponentHealth::name)
        .containsExactlyInAnyOrder(
            "database",
            "clock",
            "listen",
            "migrations",
            "workers",
            "node-beat",
            "worker-sweep",
            "fallback-poll",
            "batches",
            "children",
            "worker-prune",
            "partitions",
            "retention",
            "schedules",
            "lease-sweep",
            "node-sweep",
            "deadlines",
            "step-timeouts");
    assertThat(parts).allSatisfy(part -> assertThat(part.health()).isEqualTo(Health.HEALTHY));
    assertThat(part(parts, "database").latency()).isPositive();
  }

  @Test
  void showsSilentWorkersAndAForeignSchemaAndThatItLeaves() {
    kagzi.registerWorker();
    kagzi.execute(
        "UPDATE kagzi.workers SET last_heartbeat_at = last_heartbeat_at - interval '20 s'");
    kagzi.execute("UPDATE kagzi.schema_history SET version = '9' WHERE version = '1'");
    kagzi.engine().drain();

    List<ComponentHealth> parts = kagzi.engine().checkUp();

    assertThat(part(parts, "workers").health()).isEqualTo(Health.DEGRADED);
    assertThat(part(parts, "workers").message()).startsWith("1 online, 0 draining, 1 silent");
    assertThat(part(parts, "migrations").health()).isEqualTo(Health.DEGRADED);
    assertThat(part(parts, "migrations").message()).contains("version 9 (expected: 1)");
    assertThat(part(parts, "server").health()).isEqualTo(Health.UNHEALTHY);
  }

  @Test
  void showsWhatTheServerKnowsOfItself() {
    var stalled = new LoopPulse("node-beat", Duration.ofSeconds(2), Duration.ofMinutes(1), 0, null);

    List<ComponentHealth> parts = check(false, Duration.ofSeconds(7), stalled);

    assertThat(part(parts, "listen").health()).isEqualTo(Health.DEGRADED);
    assertThat(part(parts, "clock").message()).contains("set back by PT7S");
    assertThat(part(parts, "clock").health()).isEqualTo(Health.DEGRADED);
    assertThat(part(parts, "node-beat").health()).isEqualTo(Health.UNHEALTHY);
  }

  @Test
  void aDatabaseThatHangsIsUnhealthyWithinTwoSecondsAndBackByItself() throws SQLException {
    try (Connection holder = kagzi.connection()) {
      holder.setAutoCommit(false);
      try (Statement lock = holder.createStatement()) {
        lock.execute("LOCK TABLE kagzi.workers IN ACCESS EXCLUSIVE MODE");
      }
      for (int i = 0; i < 3; i++) {
        long asked = System.nanoTime();
        List<ComponentHealth> parts = check(true, null);
        assertThat(part(parts, "database").health()).isEqualTo(Health.UNHEALTHY);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(2));
      }
      holder.rollback();
    }

    await().until(() -> part(check(true, null), "database").health() == Health.HEALTHY);
  }

  private List<ComponentHealth> check(
      boolean listening, @Nullable Duration setBack, LoopPulse... loops) {
    return checkups.check(new Checkups.Vitals(listening, setBack, false, List.of(loops)));
  }

  private static ComponentHealth part(List<ComponentHealth> parts, String name) {
    return parts.stream().filter(part -> part.name().equals(name)).findFirst().orElseThrow();
  }
}
