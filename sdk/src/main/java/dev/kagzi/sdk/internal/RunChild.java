package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.ChildBuilder;
import dev.kagzi.sdk.ChildFuture;
import dev.kagzi.sdk.ParentClosePolicy;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.StartChildRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A child that the workflow describes. */
final class RunChild<I extends @Nullable Object, O extends @Nullable Object>
    implements ChildBuilder<I, O> {

  private final Children children;
  private final WorkflowType<I, O> type;
  private final StartChildRequest.Builder request = StartChildRequest.newBuilder();
  private final RunSettings child = new RunSettings();
  private StepKey key;

  RunChild(Children children, WorkflowType<I, O> type) {
    this.children = children;
    this.type = type;
    this.key = StepKey.of("child:" + type.name());
    child.type(type.name());
  }

  @Override
  public ChildBuilder<I, O> name(String name) {
    key = StepKey.of(name);
    return this;
  }

  @Override
  public ChildBuilder<I, O> input(I input) {
    child.input(
        "input of child '%s'".formatted(type), children.codec().encode(input, type.input().type()));
    return this;
  }

  @Override
  public ChildBuilder<I, O> id(String id) {
    request.setExternalId(Names.check("id", id));
    return this;
  }

  @Override
  public ChildBuilder<I, O> queue(String queue) {
    child.queue(Names.check("queue", queue));
    return this;
  }

  @Override
  public ChildBuilder<I, O> version(String version) {
    child.version(version);
    return this;
  }

  @Override
  public ChildBuilder<I, O> retry(Retry retry) {
    child.retry(retry);
    return this;
  }

  @Override
  public ChildBuilder<I, O> timeout(String timeout) {
    return timeout(Durations.parse(timeout));
  }

  @Override
  public ChildBuilder<I, O> timeout(Duration timeout) {
    child.timeout(timeout);
    return this;
  }

  @Override
  public ChildBuilder<I, O> stepTimeout(String timeout) {
    return stepTimeout(Durations.parse(timeout));
  }

  @Override
  public ChildBuilder<I, O> stepTimeout(Duration timeout) {
    child.stepTimeout(timeout);
    return this;
  }

  @Override
  public ChildBuilder<I, O> lease(String lease) {
    return lease(Durations.parse(lease));
  }

  @Override
  public ChildBuilder<I, O> lease(Duration lease) {
    child.lease(lease);
    return this;
  }

  @Override
  public ChildBuilder<I, O> onFailure(String handler) {
    child.onFailure(Names.check("onFailure", handler), "");
    return this;
  }

  @Override
  public ChildBuilder<I, O> onFailure(String handler, String queue) {
    child.onFailure(Names.check("onFailure", handler), Names.check("queue", queue));
    return this;
  }

  @Override
  public ChildBuilder<I, O> label(String label, String value) {
    child.label(Names.check("label", label), value);
    return this;
  }

  @Override
  public ChildBuilder<I, O> parentClosePolicy(ParentClosePolicy policy) {
    request.setParentClosePolicy(
        switch (policy) {
          case CANCEL -> dev.kagzi.v1.ParentClosePolicy.PARENT_CLOSE_POLICY_CANCEL;
          case ABANDON -> dev.kagzi.v1.ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON;
        });
    return this;
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"})
  public O run() {
    return (O) children.run(key, request(), type.output().type());
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"})
  public ChildFuture<O> start() {
    return (ChildFuture<O>) children.start(key, request(), type.output().type());
  }

  private StartChildRequest request() {
    return request.setChild(child.over(RunTemplate.getDefaultInstance())).build();
  }
}
