package dev.kagzi.sdk.internal;

import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces steps that take a while, so that people see them and the server can time them out. Most
 * steps are over before; an announcement that fails or comes late does no harm. Thread-safe.
 */
final class StepAnnouncer {

  private static final Logger LOG = LoggerFactory.getLogger(StepAnnouncer.class);

  private final RunCalls calls;

  StepAnnouncer(RunCalls calls) {
    this.calls = calls;
  }

  /** Announces an attempt without waiting for the answer. */
  void announce(BeginStepRequest request, Consumer<BeginStepResponse> listener) {
    Thread.ofVirtual().name("kagzi-announce").start(() -> send(request, listener));
  }

  private void send(BeginStepRequest request, Consumer<BeginStepResponse> listener) {
    try {
      listener.accept(calls.once(WorkerRpc.BEGIN_STEP, request));
    } catch (CallStream.Broken | CallFailedException e) {
      LOG.debug("Step {} was not announced: {}", request.getStep().getStepKey(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
