package dev.kagzi.sdk.internal;

import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;

/**
 * What the server told a worker when it registered.
 *
 * @param workerId who the worker is to the server
 * @param heartbeatInterval how often it has to give a sign of life
 * @param lease how long a run stays with a silent worker
 * @param retryPolicy what is left to the worker and the server to say about retries, complete
 * @param stepTimeout how long an attempt may take unless the run says otherwise
 * @param localRetryWait the longest wait for a retry that keeps the run on the worker
 * @param announceAfter how long a step runs before it is announced; zero announces it first
 * @param stepLimits how many steps a run may have
 */
record ServerTerms(
    String workerId,
    Duration heartbeatInterval,
    Duration lease,
    RetryPolicy retryPolicy,
    Duration stepTimeout,
    Duration localRetryWait,
    Duration announceAfter,
    StepLimits stepLimits) {

  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(10);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration STEP_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration LOCAL_RETRY_WAIT = Duration.ofSeconds(2);
  private static final Duration ANNOUNCE_AFTER = Duration.ofMillis(50);

  /** Reads the answer; what a server leaves out has the value of the specification. */
  static ServerTerms of(RegisterResponse response, RetryPolicy ofWorker) {
    return new ServerTerms(
        response.getWorkerId(),
        or(HEARTBEAT_INTERVAL, response, RegisterResponse::getHeartbeatInterval),
        or(LEASE, response, RegisterResponse::getLeaseDuration),
        RetryPolicies.over(
            ofWorker,
            RetryPolicies.over(response.getDefaultRetryPolicy(), RetryPolicies.defaults())),
        or(STEP_TIMEOUT, response, RegisterResponse::getDefaultStepTimeout),
        or(LOCAL_RETRY_WAIT, response, RegisterResponse::getMaxLocalRetryWait),
        or(ANNOUNCE_AFTER, response, RegisterResponse::getBeginStepAfter),
        StepLimits.of(response.getLimits()));
  }

  private static Duration or(
      Duration fallback,
      RegisterResponse response,
      Function<RegisterResponse, com.google.protobuf.Duration> field) {
    Duration value = WireTimes.toDuration(field.apply(response));
    return value.isPositive() ? value : fallback;
  }
}
