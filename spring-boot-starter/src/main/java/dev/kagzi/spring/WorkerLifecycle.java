package dev.kagzi.spring;

import dev.kagzi.sdk.worker.Worker;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Ties the worker to the application: it starts after everything that workflows may need, and is
 * stopped before any of that. Thread-safe.
 */
final class WorkerLifecycle implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);

  private final Worker worker;
  private final KagziProperties properties;
  private final List<String> workflows;
  private volatile boolean running;

  WorkerLifecycle(Worker worker, KagziProperties properties, List<String> workflows) {
    this.worker = worker;
    this.properties = properties;
    this.workflows = List.copyOf(workflows);
  }

  @Override
  public void start() {
    LOG.info(
        "Kagzi at {}: namespace '{}', queue '{}', workflows {}",
        properties.address(),
        properties.namespace(),
        properties.worker().queue(),
        workflows);
    worker.start();
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    worker.stop();
  }

  /** Not in the way of others who stop in the same phase: draining takes its time. */
  @Override
  public void stop(Runnable callback) {
    Thread.ofPlatform()
        .name("kagzi-stop")
        .start(() -> {
          try {
            stop();
          } finally {
            callback.run();
          }
        });
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** A worker starts once only, so it is not stopped for a pause. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  /** The last to start and the first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
