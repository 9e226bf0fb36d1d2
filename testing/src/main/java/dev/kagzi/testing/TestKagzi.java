package dev.kagzi.testing;

import dev.kagzi.core.Durations;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.StartBuilder;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.sdk.worker.WorkerBuilder;
import dev.kagzi.testing.internal.PlannedContext;
import dev.kagzi.testing.internal.StepPlan;
import dev.kagzi.testing.internal.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Kagzi for one test: the real engine on a database of its own, a worker, and a time that passes
 * when the test says so. Given to tests by {@link KagziTest}.
 *
 * <p>Steps are named as in the workflow, {@code name} or {@code name[key]}; what is said about a
 * name holds for all steps of that name. Say it before the first run is started. Not thread-safe;
 * tests with one each may run in parallel.
 */
public final class TestKagzi implements AutoCloseable {

  static final String QUEUE = "test";

  private static final Duration NO_TIME = Duration.ZERO;

  private final TestServer server = new TestServer();
  private final StepPlan plan = new StepPlan();
  private final WorkerBuilder workflows =
      Worker.builder(server.address(), QUEUE).drainTimeout(NO_TIME);
  private final KagziClient client = KagziClient.connect(server.address());
  private @Nullable Worker worker;

  private TestKagzi() {}

  /** One for tests without JUnit; whoever opens it closes it. */
  public static TestKagzi open() {
    return new TestKagzi();
  }

  /**
   * Has the worker of this test serve a workflow.
   *
   * @throws IllegalArgumentException if the workflow has fields that are not final, or its type is
   *     registered already
   * @throws IllegalStateException if a run was started before
   */
  public <I extends @Nullable Object, O extends @Nullable Object> TestKagzi register(
      WorkflowType<I, O> type, Workflow<I, O> workflow) {
    if (worker != null) {
      throw new IllegalStateException(
          "register(%s): a run was started already (expected: register all workflows first)"
              .formatted(type));
    }
    // Only to have the workflow itself looked at: what is registered below is a lambda of ours.
    Worker.builder(server.address(), QUEUE).register(type, workflow);
    workflows.register(type, (ctx, input) -> workflow.run(PlannedContext.of(ctx, plan), input));
    return this;
  }

  /**
   * Replaces a step: its code is not called, its result is this value.
   *
   * @param value what the step returns; recorded and read back like any other result
   */
  public TestKagzi stub(String step, @Nullable Object value) {
    plan.stub(step, value);
    return this;
  }

  /**
   * Has the first executions of a step fail, in each run; its retry policy decides what follows.
   *
   * @param times how many of them
   * @throws IllegalArgumentException if it is negative
   */
  public TestKagzi failStep(String step, int times, Exception error) {
    if (times < 0) {
      throw new IllegalArgumentException("times: %d (expected: 0 or more)".formatted(times));
    }
    plan.fail(step, times, error);
    return this;
  }

  /**
   * Loses the worker after a step, once in each run: the step is recorded, the worker does not hear
   * of it any more and drops everything it holds, and the runs are claimed again and replayed.
   *
   * @param step the key of the step: {@code name}, {@code name#2} or {@code name[key]}
   */
  public TestKagzi crashAfter(String step) {
    server.reports().crashAfter(step);
    return this;
  }

  /**
   * Starts a run, on a worker that serves everything that was registered.
   *
   * @throws IllegalArgumentException if nothing was registered
   */
  public <I extends @Nullable Object, O extends @Nullable Object> TestRun<O> start(
      WorkflowType<I, O> type, I input) {
    return send(describe(type, input));
  }

  /** The same after a pause, so that its id is known before anything happens. */
  <I extends @Nullable Object, O extends @Nullable Object> TestRun<O> startLater(
      WorkflowType<I, O> type, I input) {
    return send(describe(type, input).delay(Duration.ofSeconds(1)));
  }

  private <I extends @Nullable Object, O extends @Nullable Object> StartBuilder<I, O> describe(
      WorkflowType<I, O> type, I input) {
    return client.start(type).queue(QUEUE).input(input);
  }

  private <O extends @Nullable Object> TestRun<O> send(StartBuilder<?, O> start) {
    work();
    return new TestRun<>(start.send(), server.clockwork(), server.reports());
  }

  /**
   * A run that the test has started by the {@linkplain #client client}, to be looked at like any.
   */
  public <O extends @Nullable Object> TestRun<O> run(WorkflowHandle<O> handle) {
    work();
    return new TestRun<>(handle, server.clockwork(), server.reports());
  }

  private void work() {
    if (worker == null) {
      Worker started = workflows.build();
      started.start();
      worker = started;
    }
  }

  /** A client of the engine in the test, for all that has no method of its own here. */
  public KagziClient client() {
    return client;
  }

  /** The time now. */
  public Instant now() {
    return server.clockwork().now();
  }

  /**
   * Lets a time pass, such as {@code 1d}.
   *
   * @see TestRun#advance(String)
   */
  public TestKagzi advance(String duration) {
    server
        .clockwork()
        .advance(Durations.parse(duration), () -> "a run of this test is still being executed");
    return this;
  }

  /**
   * Checks that a workflow survives a crash at every place: runs it once undisturbed, and then once
   * for each step that was recorded, with a {@linkplain #crashAfter crash} after that step. Every
   * run must end with the same result, record the same steps, and execute none again that was
   * recorded. Sleeps, events and children need no crash: after them a run is replayed anyway.
   *
   * @throws AssertionError with all places at which something else happened, or if no step was
   *     recorded
   */
  public <I extends @Nullable Object, O extends @Nullable Object> void crashEverywhere(
      WorkflowType<I, O> type, I input) {
    crashEverywhere(type, input, output -> output);
  }

  /**
   * The same for a workflow whose result is never twice the same, such as because it holds the time
   * or the run's id.
   *
   * @param view what is the same in every result
   */
  public <I extends @Nullable Object, O extends @Nullable Object> void crashEverywhere(
      WorkflowType<I, O> type, I input, Function<? super O, ? extends @Nullable Object> view) {
    List<String> faults = new CrashCheck<O>(this, server.reports(), view).faults(type, input);
    if (!faults.isEmpty()) {
      throw new AssertionError(
          "%s is not safe from crashes:%n  %s".formatted(type, String.join("\n  ", faults)));
    }
  }

  /** Ends the worker and the engine, and removes the database. */
  @Override
  public void close() {
    if (worker != null) {
      worker.close();
    }
    client.close();
    server.close();
  }
}
