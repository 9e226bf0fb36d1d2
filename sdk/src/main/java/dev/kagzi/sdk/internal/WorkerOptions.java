package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Retry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker that decide what it does.
 *
 * @param address where the servers are
 * @param namespace the namespace, empty for the default one
 * @param queue the task queue it serves
 * @param maxConcurrent how many runs it holds at the same time
 * @param drainTimeout how long it finishes what it holds before it gives it back
 * @param retry the policy of its steps where neither they nor their runs have one
 */
public record WorkerOptions(
    ServerAddress address,
    String namespace,
    String queue,
    int maxConcurrent,
    Duration drainTimeout,
    @Nullable Retry retry) {

  public WorkerOptions {
    if (maxConcurrent < 1) {
      throw new IllegalArgumentException("maxConcurrent: " + maxConcurrent + " (expected: >= 1)");
    }
    if (drainTimeout.isNegative()) {
      throw new IllegalArgumentException("drainTimeout: " + drainTimeout + " (expected: >= 0)");
    }
  }
}
