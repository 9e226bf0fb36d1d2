package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** How long a run with many settled steps takes to be where it was. */
@Isolated
class LongHistoryTest {

  private static final String QUEUE = "long-histories";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration PROMISED = Duration.ofMillis(15);

  private static final WorkflowType<Integer, Integer> LONG =
      WorkflowType.of("long-history", Integer.class, Integer.class);

  private final AtomicInteger executions = new AtomicInteger();

  private Worker begin(Home home, Workflow<Integer, Integer> workflow) {
    Worker worker =
        Worker.builder(home.address(), QUEUE)
            .drainTimeout(Duration.ZERO)
            .register(LONG, workflow)
            .build();
    worker.start();
    return worker;
  }

  private static final int STEPS = 1_000;
  private static final int ROUNDS = 12;

  /**
   * The run sleeps and goes on, again and again; each time it is claimed anew and replays all it
   * has done.
   */
  @ParameterizedTest
  @EnumSource(Deployment.class)
  void replaysAThousandStepsInNoTime(Deployment deployment) throws Exception {
    var arrivedAt = new AtomicLong();
    var replays = new ConcurrentLinkedQueue<Duration>();
    var sinceDue = new ConcurrentLinkedQueue<Duration>();
    Workflow<Integer, Integer> workflow =
        (ctx, steps) -> {
          for (int i = 0; i < steps; i++) {
            ctx.step("settled", Integer.class, executions::incrementAndGet);
          }
          for (int round = 0; round < ROUNDS; round++) {
            var wakeAt = ctx.now().plusMillis(300);
            ctx.sleepUntil("nap", wakeAt);
            ctx.step(
                "new",
                () -> {
                  replays.add(Duration.ofNanos(System.nanoTime() - arrivedAt.get()));
                  sinceDue.add(Duration.between(wakeAt, InstantSource.system().instant()));
                });
          }
          return steps;
        };

    try (var arrivals = new Arrivals(arrivedAt);
        Home home = deployment.open();
        KagziClient client = KagziClient.connect(home.address());
        Worker worker = begin(home, workflow)) {
      var handle = client.start(LONG).queue(QUEUE).input(STEPS).send();
      handle.result(PATIENCE);
      assertThat(worker.activeCount()).isNotNegative();
      assertThat(arrivals.isStarted()).isTrue();
    }

    assertThat(executions).hasValue(STEPS);
    Duration median = median(replays);
    System.out.printf(
        "figure: replay.%d.%s %.1f ms from the task's arrival to the first new step, %.1f ms from"
            + " its wake-up time (timer, claim and transfer included), medians of %d%n",
        STEPS, deployment, millis(median), millis(median(sinceDue)), replays.size());
    assertThat(replays).hasSize(ROUNDS);
    // The median is the figure; the best is what a busy machine cannot spoil.
    assertThat(Collections.min(replays)).isLessThanOrEqualTo(PROMISED);
  }

  @Test
  @Tag("soak")
  void goesOnInTheMiddleOfAStepAfterAThousandOthers() throws Exception {
    replayOnAnotherWorker(1_000);
  }

  @Test
  @Tag("soak")
  void goesOnInTheMiddleOfAStepAfterTenThousandOthers() throws Exception {
    replayOnAnotherWorker(10_000);
  }

  private void replayOnAnotherWorker(int count) throws Exception {
    var begun = new CountDownLatch(1);
    var begunAgain = new CountDownLatch(2);
    var mayEnd = new CountDownLatch(1);
    Workflow<Integer, Integer> workflow =
        (ctx, steps) -> {
          int sum = 0;
          for (int i = 0; i < steps; i++) {
            sum += ctx.step("settled", Integer.class, () -> (executions.incrementAndGet() + 1) / 2);
          }
          ctx.step(
              "interrupted",
              () -> {
                begun.countDown();
                begunAgain.countDown();
                mayEnd.await();
              });
          return sum;
        };

    try (Home home = Deployment.REMOTE.open();
        KagziClient client = KagziClient.connect(home.address())) {
      Worker first = begin(home, workflow);
      long started = System.nanoTime();
      WorkflowHandle<Integer> handle = client.start(LONG).queue(QUEUE).input(count).send();
      await(begun);
      Duration recording = Duration.ofNanos(System.nanoTime() - started);
      first.stop();

      long replaying = System.nanoTime();
      try (Worker second = begin(home, workflow)) {
        await(begunAgain);
        Duration replay = Duration.ofNanos(System.nanoTime() - replaying);
        mayEnd.countDown();

        assertThat(handle.result(PATIENCE)).isEqualTo(sumOfHalves(count));
        assertThat(executions).hasValue(count);
        assertThat(second.workerId()).isNotEqualTo(first.workerId());
        System.out.printf(
            "figure: replay.%d.worker %.0f ms from a new worker's start to the step it goes on"
                + " with; recorded in %.1f s, 0 executed again%n",
            count, millis(replay), millis(recording) / 1000);
      }
    }
  }

  private static int sumOfHalves(int count) {
    return IntStream.rangeClosed(1, count).map(i -> (i + 1) / 2).sum();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private static Duration median(Collection<Duration> durations) {
    return durations.stream().sorted().toList().get(durations.size() / 2);
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }

  /** Notes when a task has arrived: what the worker logs before it reads the history. */
  private static final class Arrivals extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger =
        (Logger) LoggerFactory.getLogger("dev.kagzi.sdk.internal.RunExecutor");
    private final AtomicLong arrivedAt;

    Arrivals(AtomicLong arrivedAt) {
      this.arrivedAt = arrivedAt;
      start();
      logger.setLevel(Level.DEBUG);
      logger.setAdditive(false);
      logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getMessage().endsWith("begins a pass")) {
        arrivedAt.set(System.nanoTime());
      }
    }

    @Override
    public void close() {
      logger.detachAppender(this);
      logger.setAdditive(true);
      logger.setLevel(null);
    }
  }
}
