package dev.kagzi.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.operation.Timers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is done when it falls due, and what is seen of it. */
class DutyTest {

  private final Timers timers = new Timers();

  @AfterEach
  void stop() {
    timers.close();
  }

  @Test
  void turnsThatFailAreSeenUntilOneSucceeds() {
    AtomicBoolean broken = new AtomicBoolean(true);
    AtomicInteger turns = new AtomicInteger();
    try (var duty =
        new Duty(
            "deadlines",
            timers,
            () -> {
              turns.incrementAndGet();
              if (broken.get()) {
                throw new IllegalStateException("no luck");
              }
            })) {
      assertThat(duty.pulse().failures()).isZero();

      duty.callAfter(Duration.ZERO);
      await().until(() -> duty.pulse().failures() == 1);
      assertThat(duty.pulse().judge().message()).contains("no luck");

      broken.set(false);
      duty.callAfter(Duration.ZERO);
      await().until(() -> duty.pulse().failures() == 0 && turns.get() == 2);
    }
  }

  @Test
  void aTurnThatHangsIsSeenAndTheNextFollowsIt() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger turns = new AtomicInteger();
    try (var duty =
        new Duty(
            "deadlines",
            timers,
            () -> {
              turns.incrementAndGet();
              begun.countDown();
              awaitQuietly(go);
            })) {
      assertThat(duty.pulse().sinceTurn()).isZero();
      duty.callAfter(Duration.ZERO);
      begun.await();

      duty.callAfter(Duration.ZERO);
      await().until(() -> duty.pulse().sinceTurn().compareTo(Duration.ofMillis(20)) > 0);
      assertThat(turns).hasValue(1);

      go.countDown();
      await().until(() -> turns.get() == 2 && duty.pulse().sinceTurn().isZero());
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
