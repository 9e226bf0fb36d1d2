package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.v1.IdReusePolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import java.time.Duration;
import java.time.Instant;

/** A start that is being described. Not thread-safe. */
public final class StartCall {

  private final StartWorkflowRequest.Builder request;

  StartCall(String namespace, String type) {
    this.request = StartWorkflowRequest.newBuilder().setNamespace(namespace).setWorkflowType(type);
  }

  public void input(Payload input) {
    request.setInput(WirePayloads.toWire(WirePayloads.checked("input", input)));
  }

  public void externalId(String id) {
    request.setExternalId(id);
  }

  public void queue(String queue) {
    request.setTaskQueue(queue);
  }

  public void version(String version) {
    request.setVersion(version);
  }

  public void reusePolicy(ReusePolicy policy) {
    request.setIdReusePolicy(
        switch (policy) {
          case ALLOW -> IdReusePolicy.ID_REUSE_POLICY_ALLOW;
          case ALLOW_IF_FAILED -> IdReusePolicy.ID_REUSE_POLICY_ALLOW_IF_FAILED;
          case REJECT -> IdReusePolicy.ID_REUSE_POLICY_REJECT;
        });
  }

  public void lease(Duration lease) {
    request.getTimeoutsBuilder().setHeartbeatTimeout(WireTimes.fromDuration(lease));
  }

  public void retry(Retry retry) {
    request.setRetryPolicy(RetryPolicies.toWire(retry));
  }

  public void timeout(Duration timeout) {
    request.getTimeoutsBuilder().setExecutionTimeout(WireTimes.positive("timeout", timeout));
  }

  public void stepTimeout(Duration timeout) {
    request.getTimeoutsBuilder().setStartToCloseTimeout(WireTimes.positive("stepTimeout", timeout));
  }

  public void deadline(Instant deadline) {
    request.setDeadlineAt(WireTimes.fromInstant(deadline));
  }

  public void onFailure(String type, String queue) {
    request.setOnFailureWorkflow(type).setOnFailureTaskQueue(queue);
  }

  public void delay(Duration delay) {
    request.setStartDelay(WireTimes.fromDuration(delay));
  }

  public void label(String key, String value) {
    request.putLabels(key, value);
  }

  public void firstEvent(EventCall event) {
    request.setFirstEvent(event.event());
  }

  StartWorkflowRequest as(String requestId) {
    return request.setRequestId(requestId).build();
  }
}
