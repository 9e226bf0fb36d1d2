package dev.kagzi.sdk.internal;

import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces steps that take a while, so that people see them and the server can time them out. Most
 * steps are over before; an announcement that fails or comes late does no harm. Thread-safe.
 */
final class StepAnnouncer {

  private static final Logger LOG = LoggerFactory.getLogger(StepAnnouncer.class);

  private final RunCalls calls;
  private final ScheduledExecutorService timer;

  StepAnnouncer(RunCalls calls, ScheduledExecutorService timer) {
    this.calls = calls;
    this.timer = timer;
  }

  /** Announces the attempt after a while; cancel what is returned when the attempt is over. */
  Future<?> announceAfter(
      Duration delay, Supplier<BeginStepRequest> request, Consumer<BeginStepResponse> listener) {
    return timer.schedule(
        () -> {
          Thread.ofVirtual().name("kagzi-announce").start(() -> announce(request.get(), listener));
        },
        delay.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void announce(BeginStepRequest request, Consumer<BeginStepResponse> listener) {
    try {
      listener.accept(calls.once(WorkerRpc.BEGIN_STEP, request));
    } catch (WorkStream.Broken | CallFailedException e) {
      LOG.debug("Step {} was not announced: {}", request.getStep().getStepKey(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
