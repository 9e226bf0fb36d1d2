package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepBuilder;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.v1.StepKind;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A step that the workflow describes. */
final class RunStep implements StepBuilder {

  private final RunPass pass;
  private final StepRunner runner;
  private final Parallel parallel;
  private final String name;
  private StepKey stepKey;
  private StepOptions options = StepOptions.NONE;

  RunStep(RunPass pass, StepRunner runner, Parallel parallel, String name) {
    this.pass = pass;
    this.runner = runner;
    this.parallel = parallel;
    this.name = name;
    this.stepKey = StepKey.of(name);
  }

  @Override
  public StepBuilder key(String key) {
    stepKey = StepKey.of(name, key);
    return this;
  }

  @Override
  public StepBuilder retry(Retry retry) {
    options = options.withRetry(retry);
    return this;
  }

  @Override
  public StepBuilder timeout(String timeout) {
    return timeout(Durations.parse(timeout));
  }

  @Override
  public StepBuilder timeout(Duration timeout) {
    options = options.withTimeout(timeout);
    return this;
  }

  @Override
  public StepBuilder atMostOnce() {
    options = options.onlyOnce();
    return this;
  }

  @Override
  public StepBuilder quiet() {
    options = options.unremarkable();
    return this;
  }

  @Override
  public <T extends @Nullable Object> T run(Class<T> type, StepFn<? extends T> fn) {
    return typed(type, fn);
  }

  @Override
  public <T extends @Nullable Object> T run(TypeRef<T> type, StepFn<? extends T> fn) {
    return typed(type.type(), fn);
  }

  @Override
  public void run(StepAction action) {
    execute(StepRunner.NOTHING, withoutResult(action));
  }

  @Override
  public <T extends @Nullable Object> StepFuture<T> async(Class<T> type, StepFn<? extends T> fn) {
    return parallel.step(stepKey, type, fn, options);
  }

  @Override
  public <T extends @Nullable Object> StepFuture<T> async(TypeRef<T> type, StepFn<? extends T> fn) {
    return parallel.step(stepKey, type.type(), fn, options);
  }

  @Override
  public StepFuture<@Nullable Void> async(StepAction action) {
    return parallel.step(stepKey, StepRunner.NOTHING, withoutResult(action), options);
  }

  private static StepFn<@Nullable Object> withoutResult(StepAction action) {
    return () -> {
      action.run();
      return null;
    };
  }

  @SuppressWarnings({"unchecked", "NullAway"})
  private <T extends @Nullable Object> T typed(Type type, StepFn<? extends T> fn) {
    return (T) execute(type, fn);
  }

  private @Nullable Object execute(Type type, StepFn<? extends @Nullable Object> fn) {
    return runner.run(pass.ask(StepKind.STEP_KIND_FUNCTION, stepKey), type, fn, options);
  }
}
