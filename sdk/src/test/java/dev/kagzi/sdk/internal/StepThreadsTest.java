package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class StepThreadsTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final StepThreads threads = new StepThreads(1);

  @AfterEach
  void close() {
    threads.close();
  }

  /** What a step finds on its thread. */
  private record Found(Thread thread, String name, boolean interrupted, Map<String, String> mdc) {
    static Found now() {
      Map<String, String> mdc = MDC.getCopyOfContextMap();
      return new Found(
          Thread.currentThread(),
          Thread.currentThread().getName(),
          Thread.currentThread().isInterrupted(),
          mdc == null ? Map.of() : mdc);
    }
  }

  private Found find(String step, Runnable work) throws Exception {
    var found = new CompletableFuture<Found>();
    threads.run(
        step,
        () -> {
          found.complete(Found.now());
          work.run();
        });
    return found.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void runsStepsOnPlatformThreadsAndWhatIsTooMuchOnVirtualOnes() throws Exception {
    var mayEnd = new CountDownLatch(1);

    assertThat(find("first", () -> awaitQuietly(mayEnd)).thread().isVirtual()).isFalse();
    assertThat(find("second", () -> {}).thread().isVirtual()).isTrue();

    mayEnd.countDown();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void leavesNothingOfAStepToTheNextOneOnItsThread() throws Exception {
    Found first =
        find(
            "first",
            () -> {
              MDC.put("order", "7");
              Thread.currentThread().interrupt();
            });
    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> first.thread().getName(), "kagzi-step-idle"::equals);

    Found second =
        Awaitility.await()
            .atMost(LIMIT)
            .until(() -> find("second", () -> {}), found -> found.thread().equals(first.thread()));

    assertThat(first.name()).isEqualTo("first");
    assertThat(second.name()).isEqualTo("second");
    assertThat(second.interrupted()).isFalse();
    assertThat(second.mdc()).isEmpty();
  }
}
