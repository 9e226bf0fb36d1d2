package dev.kagzi.testing;

import dev.kagzi.core.Durations;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepView;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.testing.internal.Clockwork;
import dev.kagzi.testing.internal.Standstill;
import dev.kagzi.testing.internal.StepReports;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A run in a test. Its worker executes it by itself; what takes time waits until the test lets time
 * pass, by {@link #advance} or by asking for what comes later. Not thread-safe.
 *
 * @param <O> what the run returns
 */
public final class TestRun<O extends @Nullable Object> {

  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final WorkflowHandle<O> handle;
  private final Clockwork clockwork;
  private final StepReports reports;

  TestRun(WorkflowHandle<O> handle, Clockwork clockwork, StepReports reports) {
    this.handle = handle;
    this.clockwork = clockwork;
    this.reports = reports;
  }

  /** The id of the run. */
  public String runId() {
    return handle.runId();
  }

  /** The run as a client sees it. */
  public WorkflowHandle<O> handle() {
    return handle;
  }

  /** The state of the run once everything that can be done without more time is done. */
  public RunStatus status() {
    clockwork.settle(this::describe);
    return handle.status();
  }

  /**
   * Lets things happen until a condition holds. It is looked at whenever nothing moves; as long as
   * it does not hold, time is moved to what falls due next: the end of a sleep, a retry, a
   * deadline.
   *
   * <pre>{@code
   * run.until(r -> r.isSleepingIn("cool-off"));
   * }</pre>
   *
   * @throws AssertionError if it does not come to hold: nothing falls due any more, or a step does
   *     not return
   */
  public TestRun<O> until(Predicate<? super TestRun<O>> condition) {
    clockwork.until(() -> condition.test(this), this::describe);
    return this;
  }

  /** Whether the run is asleep in a sleep or timer of this name. */
  public boolean isSleepingIn(String step) {
    return isOpen(step, StepView.Kind.SLEEP);
  }

  /** Whether the run waits for an event of this name. */
  public boolean isWaitingFor(String event) {
    return isOpen(event, StepView.Kind.EVENT);
  }

  private boolean isOpen(String step, StepView.Kind kind) {
    return handle.steps().all().stream()
        .anyMatch(view -> view.key().equals(step) && view.kind() == kind && !view.isSettled());
  }

  /** Whether the run has ended, well or not. */
  public boolean hasEnded() {
    return handle.status().isTerminal();
  }

  /** Sends an event to the run. */
  public <T> TestRun<O> send(EventType<T> event, T payload) {
    handle.send(event, payload);
    return this;
  }

  /**
   * Lets a time pass, such as {@code 1d}, for all runs of the test: what falls due on the way
   * happens in its order, and is over when this returns.
   *
   * @throws IllegalArgumentException if the text is not a duration
   */
  public TestRun<O> advance(String duration) {
    return advance(Durations.parse(duration));
  }

  /**
   * Lets a time pass.
   *
   * @see #advance(String)
   */
  public TestRun<O> advance(Duration duration) {
    clockwork.advance(duration, this::describe);
    return this;
  }

  /**
   * What the run returns. Time passes as the run needs it.
   *
   * @throws dev.kagzi.sdk.WorkflowFailedException if it ends without a result
   * @throws AssertionError if it does not end, such as because it waits for an event
   */
  public O result() {
    until(TestRun::hasEnded);
    try {
      return handle.result(ANSWER);
    } catch (TimeoutException e) {
      throw new Standstill("run %s has ended and its result does not come".formatted(runId()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Standstill("interrupted while waiting for run " + runId(), e);
    }
  }

  /**
   * One step of the run, or what would be known of it.
   *
   * @param key its key: the name, {@code name#2} or {@code name[key]}
   */
  public TestStep step(String key) {
    return new TestStep(reports, new StepReports.Place(runId(), key));
  }

  private String describe() {
    return "run %s: %s".formatted(runId(), handle.explain());
  }
}
