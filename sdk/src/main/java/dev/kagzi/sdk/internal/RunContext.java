package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.SagaAction;
import dev.kagzi.sdk.SagaFn;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepBuilder;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.v1.StepKind;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of one pass: what the workflow calls, turned into asks of the pass. */
final class RunContext implements WorkflowContext {

  private static final String LOGGER_PREFIX = "kagzi.workflow.";

  private final RunPass pass;
  private final Waits waits;
  private final StepRunner steps;
  private final Markers markers;
  private final Logger log;

  RunContext(RunPass pass, WorkerTools tools) {
    this.pass = pass;
    this.waits = new Waits(pass);
    this.steps = new StepRunner(pass, waits, tools);
    this.markers = new Markers(pass);
    this.log =
        new ReplayLogger(
            LoggerFactory.getLogger(LOGGER_PREFIX + pass.claim().type()), pass::isReplaying);
  }

  @Override
  public String runId() {
    return pass.claim().runId();
  }

  @Override
  public <T extends @Nullable Object> T step(String name, Class<T> type, StepFn<? extends T> fn) {
    return step(name).run(type, fn);
  }

  @Override
  public <T extends @Nullable Object> T step(String name, TypeRef<T> type, StepFn<? extends T> fn) {
    return step(name).run(type, fn);
  }

  @Override
  public void step(String name, StepAction action) {
    step(name).run(action);
  }

  @Override
  public StepBuilder step(String name) {
    return new RunStep(pass, steps, name);
  }

  @Override
  public void sleep(String name, String duration) {
    sleep(name, Durations.parse(duration));
  }

  @Override
  public void sleep(String name, Duration duration) {
    waits.sleep(pass.ask(StepKind.STEP_KIND_SLEEP, StepKey.of(name)), duration);
  }

  @Override
  public void sleepUntil(String name, Instant moment) {
    waits.sleepUntil(pass.ask(StepKind.STEP_KIND_SLEEP, StepKey.of(name)), moment);
  }

  @Override
  public <T extends @Nullable Object> T saga(SagaFn<? extends T> body) throws Exception {
    return new RunSaga(pass, steps, markers).run(body);
  }

  @Override
  public void saga(SagaAction body) throws Exception {
    new RunSaga(pass, steps, markers)
        .<@Nullable Void>run(saga -> {
          body.run(saga);
          return null;
        });
  }

  @Override
  public Instant now() {
    return markers.now(pass.ask(StepKind.STEP_KIND_MARKER, Markers.NOW));
  }

  @Override
  public UUID uuid(String name) {
    return DerivedIds.uuid(runId(), Names.check("name", name));
  }

  @Override
  public String idempotencyKey(String step) {
    String running = pass.stepOfThisThread();
    boolean own = running != null && new StepKey(running).name().equals(step);
    return runId() + "/" + (own ? running : new StepKey(step).value());
  }

  @Override
  public Logger log() {
    return log;
  }

  @Override
  public boolean replaying() {
    return pass.isReplaying();
  }
}
