package dev.kagzi.sdk.worker;

import dev.kagzi.sdk.internal.WorkerSession;
import java.util.Optional;

/**
 * Executes the runs of the workflows it registered, on one task queue. Started once, by {@link
 * #run} in a program of its own or by {@link #start} inside an application, and stopped once.
 * Thread-safe.
 */
public final class Worker implements AutoCloseable {

  private final WorkerSession session;

  Worker(WorkerSession session) {
    this.session = session;
  }

  /**
   * Describes a worker.
   *
   * @param address {@code host:port}, or several of them separated by commas
   * @param queue the task queue to serve
   * @throws IllegalArgumentException if the address or the name cannot be used
   */
  public static WorkerBuilder builder(String address, String queue) {
    return new WorkerBuilder(address, queue);
  }

  /**
   * Begins to work and returns. If no server answers yet, goes on trying in the background. Does
   * not keep the program alive.
   *
   * @throws dev.kagzi.sdk.RequestRefusedException if the server refuses the worker
   * @throws IllegalStateException if the worker was started before
   */
  public void start() {
    session.start();
  }

  /**
   * Works until the program is asked to end (SIGTERM, SIGINT), the worker is stopped, or the server
   * asks it to drain. Then finishes what it holds, as {@link #stop} does.
   *
   * @throws dev.kagzi.sdk.RequestRefusedException if the server refuses the worker
   * @throws IllegalStateException if the worker was started before
   */
  public void run() {
    var hook = new Thread(this::stop, "kagzi-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      session.start();
      session.awaitStopped();
    } finally {
      forget(hook);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook is what stopped the worker; there is nothing left to remove it for.
    }
  }

  /**
   * Stops: claims nothing more, finishes what it holds within the drain timeout, hands the rest
   * back to be continued elsewhere, and leaves. Returns when that is done; may be called
   * repeatedly.
   */
  public void stop() {
    session.stop();
  }

  /** The same as {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  /** Who this worker is to the server; empty until it has registered. */
  public Optional<String> workerId() {
    return session.workerId();
  }

  /** Whether a server has accepted it. */
  public boolean isRegistered() {
    return workerId().isPresent();
  }

  /** How many runs it holds now. */
  public int activeCount() {
    return session.activeCount();
  }
}
