package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.ChildBuilder;
import dev.kagzi.sdk.ContinueOptions;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.ItemFn;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.SagaAction;
import dev.kagzi.sdk.SagaFn;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepBuilder;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.Winner;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.v1.StepKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of one pass: what the workflow calls, turned into asks of the pass. */
final class RunContext implements WorkflowContext {

  private static final String LOGGER_PREFIX = "kagzi.workflow.";

  private final RunPass pass;
  private final Branches branches;
  private final Parallel parallel;
  private final Waits waits;
  private final Events events;
  private final Children children;
  private final ChildMaps childMaps;
  private final PublishedStates states;
  private final StepRunner steps;
  private final Markers markers;
  private final Patches patches;
  private final Logger log;

  RunContext(RunPass pass, WorkerTools tools) {
    this.pass = pass;
    this.branches = new Branches(pass, tools);
    this.parallel = new Parallel(pass, branches);
    this.waits = new Waits(pass, branches);
    NewsWaits news = new NewsWaits(pass, branches);
    this.events = new Events(pass, branches, parallel, news, tools.codec());
    this.children = new Children(pass, branches, parallel, news, tools.codec());
    this.childMaps = new ChildMaps(pass, news, children);
    this.states = new PublishedStates(pass, tools.codec());
    pass.claim().held().onNews(branches::heedNews);
    this.steps = new StepRunner(pass, new WorkflowSite(pass, waits, branches, tools), tools);
    this.markers = new Markers(pass);
    this.patches = new Patches(pass, markers);
    this.log =
        new ReplayLogger(
            LoggerFactory.getLogger(LOGGER_PREFIX + pass.claim().type()), pass::isReplaying);
  }

  @Override
  public String runId() {
    return pass.claim().runId();
  }

  @Override
  public Optional<Instant> fireAt() {
    return pass.claim().fireAt();
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
    return new RunStep(pass, steps, parallel, name);
  }

  @Override
  public <T> T steps(Class<T> type, T implementation) {
    pass.requireWorkflowThread();
    return StepGroup.of(
        type,
        implementation,
        (name, result, fn, arguments) ->
            steps.run(
                pass.ask(StepKind.STEP_KIND_FUNCTION, StepKey.of(name)),
                result,
                fn,
                StepOptions.NONE,
                arguments));
  }

  @Override
  public void sleep(String name, String duration) {
    sleep(name, Durations.parse(duration));
  }

  @Override
  public void sleep(String name, Duration duration) {
    waits.sleep(pass.askInPassing(StepKind.STEP_KIND_SLEEP, StepKey.of(name)), duration);
  }

  @Override
  public void sleepUntil(String name, Instant moment) {
    waits.sleepUntil(pass.askInPassing(StepKind.STEP_KIND_SLEEP, StepKey.of(name)), moment);
  }

  @Override
  public <T extends @Nullable Object> T saga(SagaFn<? extends T> body) throws Exception {
    return new RunSaga(pass, steps, markers, branches).run(body);
  }

  @Override
  public void saga(SagaAction body) throws Exception {
    new RunSaga(pass, steps, markers, branches)
        .<@Nullable Void>run(saga -> {
          body.run(saga);
          return null;
        });
  }

  @Override
  public StepFuture<@Nullable Void> timer(String name, String duration) {
    return timer(name, Durations.parse(duration));
  }

  @Override
  public StepFuture<@Nullable Void> timer(String name, Duration duration) {
    return parallel.timer(StepKey.of(name), duration);
  }

  @Override
  public <T> T waitFor(EventType<T> event) {
    return events.waitFor(event, null).orElseThrow();
  }

  @Override
  public <T> Optional<T> waitFor(EventType<T> event, String timeout) {
    return waitFor(event, Durations.parse(timeout));
  }

  @Override
  public <T> Optional<T> waitFor(EventType<T> event, Duration timeout) {
    return events.waitFor(event, timeout);
  }

  @Override
  public <T> StepFuture<Optional<T>> event(EventType<T> event) {
    return events.begin(event, null);
  }

  @Override
  public <T> StepFuture<Optional<T>> event(EventType<T> event, String timeout) {
    return event(event, Durations.parse(timeout));
  }

  @Override
  public <T> StepFuture<Optional<T>> event(EventType<T> event, Duration timeout) {
    return events.begin(event, timeout);
  }

  @Override
  public <I extends @Nullable Object, O extends @Nullable Object> ChildBuilder<I, O> child(
      WorkflowType<I, O> type) {
    return new RunChild<>(children, type);
  }

  @Override
  public <I extends @Nullable Object, O extends @Nullable Object> List<Outcome<O>> childMap(
      String name, List<? extends I> items, WorkflowType<I, O> type, int maxConcurrency) {
    if (maxConcurrency < 1) {
      throw new IllegalArgumentException(
          "maxConcurrency: %d (expected: >= 1)".formatted(maxConcurrency));
    }
    return childMaps.map(name, items, type, maxConcurrency);
  }

  @Override
  public void setState(@Nullable Object value) {
    setState(PublishedStates.DEFAULT_NAME, value);
  }

  @Override
  public void setState(String name, @Nullable Object value) {
    states.set(name, value);
  }

  @Override
  public void all(StepFuture<?>... futures) {
    parallel.all(parallel.branchesOf(List.of(futures)));
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"})
  public <T extends @Nullable Object> List<T> all(List<? extends StepFuture<? extends T>> futures) {
    return (List<T>) parallel.all(parallel.branchesOf(futures));
  }

  @Override
  public <T extends @Nullable Object> List<Outcome<T>> settle(
      List<? extends StepFuture<? extends T>> futures) {
    return parallel.settle(parallel.branchesOf(futures));
  }

  @Override
  public Winner<@Nullable Object> race(String name, StepFuture<?>... futures) {
    return parallel.race(name, parallel.branchesOf(List.of(futures)));
  }

  @Override
  public <T extends @Nullable Object> Winner<T> race(
      String name, List<? extends StepFuture<? extends T>> futures) {
    return parallel.race(name, parallel.branchesOf(futures));
  }

  @Override
  public <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      Class<T> type,
      ItemFn<? super I, ? extends T> fn) {
    return parallel(name, items, key, Integer.MAX_VALUE, TypeRef.of(type), fn);
  }

  @Override
  public <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      int maxConcurrency,
      Class<T> type,
      ItemFn<? super I, ? extends T> fn) {
    return parallel(name, items, key, maxConcurrency, TypeRef.of(type), fn);
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"})
  public <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      int maxConcurrency,
      TypeRef<T> type,
      ItemFn<? super I, ? extends T> fn) {
    if (maxConcurrency < 1) {
      throw new IllegalArgumentException(
          "maxConcurrency: %d (expected: >= 1)".formatted(maxConcurrency));
    }
    List<Parallel.Item> steps = new ArrayList<>();
    for (I item : items) {
      steps.add(new Parallel.Item(StepKey.of(name, key.apply(item)), () -> fn.run(item)));
    }
    return (List<T>) parallel.items(name, steps, type.type(), maxConcurrency);
  }

  /** Waits for the branches that the workflow has not waited for, now that it has returned. */
  void awaitForgotten() {
    List<Branch> forgotten = branches.forgotten();
    if (!forgotten.isEmpty()) {
      parallel.all(forgotten);
    }
  }

  /** The pass is over, and whatever its branches still do is of no use. */
  void leave() {
    branches.abandon();
  }

  @Override
  public Instant now() {
    return markers.now(pass.ask(StepKind.STEP_KIND_MARKER, Markers.NOW));
  }

  @Override
  public boolean patched(String id) {
    return patches.patched(id);
  }

  @Override
  public WorkflowSuspended continueAs(@Nullable Object input) {
    return continueAs(input, ContinueOptions.SAME);
  }

  @Override
  public WorkflowSuspended continueAs(@Nullable Object input, ContinueOptions options) {
    pass.requireWorkflowThread();
    pass.requireGoingOn();
    if (pass.isInsideSaga()) {
      throw new IllegalStateException(
          "Run %s: continueAs was called inside a saga (expected: after the saga has returned,"
                  .formatted(runId())
              + " because the successor could not undo its work)");
    }
    awaitForgotten();
    pass.requireNoDivergence("continued as a new run");
    throw pass.endWith(new PassEnd.Continued(input, options));
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
