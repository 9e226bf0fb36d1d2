package dev.kagzi.sdk.internal;

import dev.kagzi.v1.BeginStepRequest;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces steps that take a while, so that people see them and the server can time them out. Most
 * steps are over before; an announcement that fails or comes late does no harm. Thread-safe.
 */
final class StepAnnouncer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StepAnnouncer.class);

  private final WorkerCalls calls;
  private final ScheduledThreadPoolExecutor timer;

  StepAnnouncer(WorkerCalls calls) {
    this.calls = calls;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("kagzi-step-announcer").factory());
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Announces the attempt after a while; cancel what is returned when the attempt is over. */
  Future<?> announceAfter(Duration delay, Supplier<BeginStepRequest> request) {
    return timer.schedule(
        () -> {
          Thread.ofVirtual().name("kagzi-announce").start(() -> announce(request.get()));
        },
        delay.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void announce(BeginStepRequest request) {
    try {
      calls.once(WorkerRpc.BEGIN_STEP, request);
    } catch (WorkStream.Broken | CallFailedException e) {
      LOG.debug("Step {} was not announced: {}", request.getStep().getStepKey(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
