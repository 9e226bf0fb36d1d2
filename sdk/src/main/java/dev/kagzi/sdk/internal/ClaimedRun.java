package dev.kagzi.sdk.internal;

import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A run that this worker has claimed, with everything that was agreed about it. Immutable.
 *
 * @param task what the server handed over
 * @param held the worker's hold on it
 * @param clock the engine's time since the claim
 * @param requests what requests about it begin with
 * @param terms what the server told this worker
 */
record ClaimedRun(
    Task task, HeldRun held, EngineClock clock, RunRequests requests, ServerTerms terms) {

  /** Takes a task over, at the moment when the answer to the poll has arrived. */
  static ClaimedRun of(Task task, Registrar registrar) {
    long now = System.nanoTime();
    ServerTerms terms = registrar.terms();
    Duration lease = WireTimes.toDuration(task.getLeaseDuration());
    var held =
        new HeldRun(
            task.getRunId(), task.getLeaseEpoch(), lease.isPositive() ? lease : terms.lease(), now);
    if (task.hasStopRequested()) {
      held.requestStop(task.getStopRequested());
    }
    return new ClaimedRun(
        task,
        held,
        new EngineClock(task.getEngineTime(), now),
        registrar.requestsFor(task.getRunId(), task.getLeaseEpoch()),
        terms);
  }

  String runId() {
    return task.getRunId();
  }

  String type() {
    return task.getWorkflowType();
  }

  Optional<Instant> fireAt() {
    return task.hasFireAt() ? Optional.of(WireTimes.toInstant(task.getFireAt())) : Optional.empty();
  }

  /** The policy for steps that have none of their own, complete. */
  RetryPolicy retryPolicy() {
    return RetryPolicies.over(task.getRetryPolicy(), terms.retryPolicy());
  }

  /** How long one attempt of a step may take that has no limit of its own. */
  Duration stepTimeout() {
    Duration ofRun = WireTimes.toDuration(task.getStepTimeout());
    return ofRun.isPositive() ? ofRun : terms.stepTimeout();
  }
}
