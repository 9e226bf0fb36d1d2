package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.Retry;
import dev.kagzi.v1.RunTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is said about the runs that a schedule or a parent starts. It is written over what was said
 * before, setting by setting, because a server only takes the whole. Not thread-safe.
 */
public final class RunSettings {

  private final List<Consumer<RunTemplate.Builder>> said = new ArrayList<>();

  public void type(String type) {
    said.add(run -> run.setWorkflowType(type));
  }

  /** Drops what was said before about everything but the type. */
  public void forget() {
    said.add(
        0,
        run -> {
          String type = run.getWorkflowType();
          run.clear().setWorkflowType(type);
        });
  }

  /** What the runs get; {@code what} names it where it is too large. */
  public void input(String what, Payload input) {
    var wire = WirePayloads.toWire(WirePayloads.checked(what, input));
    said.add(run -> run.setInput(wire));
  }

  public void queue(String queue) {
    said.add(run -> run.setTaskQueue(queue));
  }

  public void version(String version) {
    said.add(run -> run.setVersion(version));
  }

  public void retry(Retry retry) {
    var wire = RetryPolicies.toWire(retry);
    said.add(run -> run.setRetryPolicy(wire));
  }

  public void timeout(Duration timeout) {
    var wire = WireTimes.positive("timeout", timeout);
    said.add(run -> run.getTimeoutsBuilder().setExecutionTimeout(wire));
  }

  public void stepTimeout(Duration timeout) {
    var wire = WireTimes.positive("stepTimeout", timeout);
    said.add(run -> run.getTimeoutsBuilder().setStartToCloseTimeout(wire));
  }

  public void lease(Duration lease) {
    var wire = WireTimes.fromDuration(lease);
    said.add(run -> run.getTimeoutsBuilder().setHeartbeatTimeout(wire));
  }

  public void onFailure(String type, String queue) {
    said.add(run -> run.setOnFailureWorkflow(type).setOnFailureTaskQueue(queue));
  }

  public void label(String key, String value) {
    said.add(run -> run.putLabels(key, value));
  }

  boolean isEmpty() {
    return said.isEmpty();
  }

  /** What holds now, given what was said before. */
  RunTemplate over(RunTemplate before) {
    RunTemplate.Builder run = before.toBuilder();
    said.forEach(setting -> setting.accept(run));
    return run.build();
  }
}
