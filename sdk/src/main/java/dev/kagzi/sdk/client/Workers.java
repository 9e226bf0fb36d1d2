package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.WorkerDetails;
import dev.kagzi.sdk.WorkerFilter;
import dev.kagzi.sdk.WorkerView;
import dev.kagzi.sdk.internal.FleetCalls;

/**
 * The workers of the namespace, wherever they run. All methods throw {@link
 * dev.kagzi.sdk.ServerUnavailableException} if no server answers. Thread-safe.
 */
public final class Workers {

  private final FleetCalls calls;

  Workers(FleetCalls calls) {
    this.calls = calls;
  }

  /** All workers, newest first, also those that have left in the last days. */
  public Listing<WorkerView> list() {
    return list(WorkerFilter.all());
  }

  /** Those workers that a filter means, newest first. */
  public Listing<WorkerView> list(WorkerFilter filter) {
    return new Listing<>((size, token) -> calls.workers(filter, size, token));
  }

  /**
   * A worker with the runs that it holds and what happened to it.
   *
   * @param id its id, as {@link dev.kagzi.sdk.worker.Worker#workerId} tells
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such worker ({@code
   *     WORKER_NOT_FOUND})
   */
  public WorkerDetails get(String id) {
    return calls.worker(Names.check("worker id", id));
  }

  /**
   * Asks a worker to finish what it holds, take nothing new and leave. It hears of it with its next
   * heartbeat or poll at the latest. Safe to repeat.
   *
   * @param reason why, for people; may be empty
   * @return the worker after the call
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such worker ({@code
   *     WORKER_NOT_FOUND})
   */
  public WorkerView drain(String id, String reason) {
    return calls.drain(Names.check("worker id", id), false, reason);
  }

  /**
   * Takes a worker offline at once: its runs go to others, and what it still writes is refused. For
   * workers that hang. Safe to repeat.
   *
   * @param reason why, for people; may be empty
   * @return the worker after the call
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such worker ({@code
   *     WORKER_NOT_FOUND})
   */
  public WorkerView takeOffline(String id, String reason) {
    return calls.drain(Names.check("worker id", id), true, reason);
  }
}
