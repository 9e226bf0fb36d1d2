package dev.kagzi.engine.domain;

import dev.kagzi.core.PartialRetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a starter may decide about a run; null leaves it to the worker or the server.
 *
 * @param retry for steps that have none of their own, and for errors outside steps
 * @param stepTimeout start to close of each step
 * @param lease how long a claim holds without a heartbeat
 * @param executionTimeout from the start to the end, however often it is claimed
 */
public record RunPolicies(
    @Nullable PartialRetryPolicy retry,
    @Nullable Duration stepTimeout,
    @Nullable Duration lease,
    @Nullable Duration executionTimeout,
    @Nullable String onFailureWorkflow,
    @Nullable String onFailureQueue) {

  /** Everything left to others. */
  public static final RunPolicies NONE = new RunPolicies(null, null, null, null, null, null);
}
