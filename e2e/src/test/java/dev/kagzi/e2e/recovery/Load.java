package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.sdk.ServerUnavailableException;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts runs at a steady pace, whether or not the earlier starts have been answered, and remembers
 * which ones were acknowledged.
 */
public final class Load implements AutoCloseable {
  private static final int PER_SECOND = 50;
  private static final Duration LONGEST_START = Duration.ofSeconds(90);
  private static final Duration LONGEST_RUN = Duration.ofSeconds(90);

  private final KagziClient client;
  private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger sent = new AtomicInteger();
  private final Map<Integer, WorkflowHandle<Integer>> acknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final Queue<RuntimeException> refused = new ConcurrentLinkedQueue<>();
  private final AtomicLong slowestNanos = new AtomicLong();

  private final Future<?> pacing;

  /** Begins at once. */
  public Load(KagziClient client) {
    this.client = client;
    long period = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
    this.pacing =
        pace.scheduleAtFixedRate(
            () -> Thread.startVirtualThread(this::startOne), 0, period, TimeUnit.NANOSECONDS);
  }

  private void startOne() {
    int number = sent.incrementAndGet();
    long sentNanos = System.nanoTime();
    try {
      var start = client.start(WorkerProgram.STEPS).input(number).queue(WorkerProgram.QUEUE);
      acknowledged.put(number, start.send());
      slowestNanos.accumulateAndGet(System.nanoTime() - sentNanos, Math::max);
    } catch (ServerUnavailableException nobodyAnswered) {
      unanswered.incrementAndGet();
    } catch (RuntimeException refusal) {
      refused.add(refusal);
    }
  }

  public int acknowledged() {
    return acknowledged.size();
  }

  /** The ids of the runs whose starts were acknowledged. */
  public List<String> runIds() {
    return acknowledged.values().stream().map(WorkflowHandle::runId).toList();
  }

  /** Starts that no server answered within the limit of a call; their runs may exist. */
  public int unanswered() {
    return unanswered.get();
  }

  /** Waits until so many more starts are acknowledged than now. */
  public void awaitMore(int starts) {
    int enough = acknowledged() + starts;
    await()
        .atMost(LONGEST_START)
        .untilAsserted(() -> assertThat(acknowledged()).isGreaterThanOrEqualTo(enough));
  }

  /** Starts nothing more and waits until every start is answered or given up. */
  public void end() throws InterruptedException {
    pacing.cancel(false);
    pace.shutdown();
    assertThat(pace.awaitTermination(LONGEST_START.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await()
        .atMost(LONGEST_START)
        .untilAsserted(
            () -> assertThat(acknowledged() + unanswered() + refused.size()).isEqualTo(sent.get()));
    assertThat(refused).isEmpty();
  }

  /** Waits for the result of every run whose start was acknowledged. */
  public void awaitResults() throws Exception {
    for (var run : acknowledged.entrySet()) {
      int steps = WorkerProgram.STEP_COUNT;
      assertThat(run.getValue().result(LONGEST_RUN))
          .isEqualTo(run.getKey() + steps * (steps + 1) / 2);
    }
  }

  public void print(String figure) {
    Figures.print(figure + ".acknowledged_and_finished", acknowledged());
    Figures.print(figure + ".unanswered", unanswered());
    Figures.printSeconds(figure + ".slowest_start", Duration.ofNanos(slowestNanos.get()));
  }

  @Override
  public void close() {
    pace.shutdownNow();
  }
}
