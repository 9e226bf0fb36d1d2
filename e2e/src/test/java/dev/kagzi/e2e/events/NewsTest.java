package dev.kagzi.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a server of its own, whose workers beat so rarely that no heartbeat helps. */
class NewsTest extends DurabilitySuite {

  private static final EventType<String> STOP = EventType.of("stop", String.class);
  private static final int TRIES = 10;

  private final WorkflowType<String, String> type = freshType();
  private final CountDownLatch never = new CountDownLatch(1);

  NewsTest() {
    super(Deployment.remote(Duration.ofSeconds(10), Deployment.LEASE));
  }

  @AfterEach
  void letGo() {
    never.countDown();
    home().close();
  }

  @Test
  void anEventReachesARunThatExecutesWithinASecond() throws Exception {
    var executing = new Semaphore(0);
    serve(
        type,
        (ctx, in) -> {
          StepFuture<Optional<String>> stop = ctx.event(STOP);
          StepFuture<String> work =
              ctx.step("work")
                  .async(
                      String.class,
                      () -> {
                        executing.release();
                        never.await();
                        return "";
                      });
          ctx.race("first", stop, work);
          return stop.get().orElseThrow();
        });
    List<Duration> latencies = new ArrayList<>();
    for (int i = 0; i < TRIES; i++) {
      WorkflowHandle<String> handle = start(type, "");
      assertThat(executing.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      long sentAt = System.nanoTime();
      handle.send(STOP, "enough");
      assertThat(resultOf(handle)).isEqualTo("enough");
      latencies.add(Duration.ofNanos(System.nanoTime() - sentAt));
    }
    latencies.sort(Comparator.naturalOrder());

    System.out.printf(
        "an event stopped a run that executed after %d ms (median of %d), %d ms (most)%n",
        latencies.get(TRIES / 2).toMillis(), TRIES, latencies.get(TRIES - 1).toMillis());
    assertThat(latencies.get(TRIES / 2)).isLessThan(Duration.ofSeconds(1));
  }
}
