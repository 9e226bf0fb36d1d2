package dev.kagzi.sdk.internal;

import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the server told a worker when it registered.
 *
 * @param workerId who the worker is to the server
 * @param heartbeatInterval how often it has to give a sign of life
 * @param lease how long a run stays with a silent worker
 * @param retryPolicy the last one in the line of policies, complete
 * @param stepTimeout how long an attempt may take unless the run says otherwise
 * @param localRetryWait the longest wait for a retry that keeps the run on the worker
 * @param announceAfter how long a step runs before it is announced
 */
record ServerTerms(
    String workerId,
    Duration heartbeatInterval,
    Duration lease,
    RetryPolicy retryPolicy,
    @Nullable Duration stepTimeout,
    Duration localRetryWait,
    Duration announceAfter) {

  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(10);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration LOCAL_RETRY_WAIT = Duration.ofSeconds(2);
  private static final Duration ANNOUNCE_AFTER = Duration.ofMillis(50);

  /** Reads the answer; what a server leaves out has the value of the specification. */
  static ServerTerms of(RegisterResponse response) {
    return new ServerTerms(
        response.getWorkerId(),
        or(HEARTBEAT_INTERVAL, response, RegisterResponse::getHeartbeatInterval),
        or(LEASE, response, RegisterResponse::getLeaseDuration),
        RetryPolicies.over(response.getDefaultRetryPolicy(), RetryPolicies.defaults()),
        response.hasDefaultStepTimeout()
            ? WireTimes.toDuration(response.getDefaultStepTimeout())
            : null,
        or(LOCAL_RETRY_WAIT, response, RegisterResponse::getMaxLocalRetryWait),
        or(ANNOUNCE_AFTER, response, RegisterResponse::getBeginStepAfter));
  }

  private static Duration or(
      Duration fallback,
      RegisterResponse response,
      Function<RegisterResponse, com.google.protobuf.Duration> field) {
    Duration value = WireTimes.toDuration(field.apply(response));
    return value.isPositive() ? value : fallback;
  }
}
