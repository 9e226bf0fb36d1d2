package dev.kagzi.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.Health;
import dev.kagzi.engine.domain.LoopPulse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTest {

  private static final Duration OFTEN = Duration.ofMillis(5);

  @Test
  void showsThatItFailsWithWhatItSaidAndThatItWorksAgain() {
    var broken = new AtomicBoolean(true);
    try (var loop =
        new Loop(
                "test",
                OFTEN,
                () -> {
                  if (broken.get()) {
                    throw new IllegalStateException("no such table");
                  }
                })
            .start()) {
      await().until(() -> loop.pulse().failures() > 1);
      assertThat(loop.pulse().judge().health()).isEqualTo(Health.DEGRADED);
      assertThat(loop.pulse().judge().message()).contains("failed", "no such table");

      broken.set(false);

      await().until(() -> loop.pulse().judge().health() == Health.HEALTHY);
    }
  }

  @Test
  void aTurnThatDoesNotEndIsNotTakenForOneThatDid() {
    var release = new CountDownLatch(1);
    var inside = new CountDownLatch(1);
    try (var loop =
        new Loop(
                "test",
                OFTEN,
                () -> {
                  inside.countDown();
                  awaitQuietly(release);
                })
            .start()) {
      awaitQuietly(inside);
      Duration before = loop.pulse().sinceTurn();
      await().until(() -> loop.pulse().sinceTurn().minus(before).toMillis() > 50);
      release.countDown();
      await().until(() -> loop.pulse().sinceTurn().toMillis() < 50);
    }
  }

  @Test
  void aTurnBeginsAtOnceForWhoIsInAHurryUnlessOneIsUnderWay() {
    var turns = new AtomicInteger();
    var release = new Semaphore(1);
    try (var loop =
        new Loop(
                "test",
                Duration.ofHours(1),
                () -> {
                  turns.incrementAndGet();
                  release.acquireUninterruptibly();
                })
            .start()) {
      await().until(loop::hurry);
      await().until(() -> turns.get() == 2);

      assertThat(loop.hurry()).isFalse();
      release.release();

      await().until(loop::hurry);
      await().until(() -> turns.get() == 3);
      release.release();
    }
  }

  @Test
  void isStalledAfterThreeIntervalsAndNotBeforeThirtySeconds() {
    assertThat(pulse(Duration.ofSeconds(1), Duration.ofSeconds(30)).isStalled()).isFalse();
    assertThat(pulse(Duration.ofSeconds(1), Duration.ofSeconds(31)).isStalled()).isTrue();
    assertThat(pulse(Duration.ofHours(1), Duration.ofHours(3)).isStalled()).isFalse();
    assertThat(pulse(Duration.ofHours(1), Duration.ofHours(3).plusSeconds(1)).judge().health())
        .isEqualTo(Health.UNHEALTHY);
    assertThat(pulse(Duration.ofSeconds(1), Duration.ofSeconds(42)).judge().message())
        .contains("42 s", "no connection");
  }

  private static LoopPulse pulse(Duration interval, Duration sinceTurn) {
    return new LoopPulse("test", interval, sinceTurn, 1, "no connection");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
