package dev.kagzi.sdk;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The door between a workflow and the engine: what goes through it is durable.
 *
 * <p>Steps and sleeps are known by their names. The second use of a name in a run is {@code
 * name#2}, the third {@code name#3}, counted in call order; give a {@linkplain StepBuilder#key key}
 * where the order is not the same each time. Names may not contain {@code #}, {@code [} or {@code
 * ]}.
 *
 * <p>A context belongs to the thread that its workflow runs on: steps, sleeps and {@link #now}
 * called from any other thread, or from inside a step, are refused with an {@link
 * IllegalStateException}. {@link #runId}, {@link #idempotencyKey}, {@link #uuid}, {@link #log} and
 * {@link #replaying} may be called from anywhere.
 */
public interface WorkflowContext {

  /** The id of this run. May be called from any thread. */
  String runId();

  /**
   * The tick for which a schedule has started this run: the time that its cron expression names,
   * also when the run was caught up with or filled in much later. Empty for a run that no tick has
   * started. May be called from any thread.
   */
  Optional<Instant> fireAt();

  /**
   * Executes a step, or returns its recorded result. The value is always the one decoded from the
   * recorded bytes, also on the first execution, so that the first run equals a replay.
   *
   * @param name the step's name
   * @param type how the recorded result is read
   * @param fn the work
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T step(String name, Class<T> type, StepFn<? extends T> fn);

  /**
   * Executes a step whose result is generic, or returns its recorded result.
   *
   * @param name the step's name
   * @param type how the recorded result is read
   * @param fn the work
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T step(String name, TypeRef<T> type, StepFn<? extends T> fn);

  /**
   * Executes a step without a result, unless it is recorded as completed.
   *
   * @param name the step's name
   * @param action the work
   * @throws StepFailedException if the step has failed for good
   */
  void step(String name, StepAction action);

  /** Describes a step that needs more than a name. */
  StepBuilder step(String name);

  /**
   * Makes the methods of an interface steps: a call of one executes the implementation's method as
   * a step, or returns its recorded result. The step is known by the method's name, so {@code
   * warehouse.reserve(order)} is the step {@code reserve}, a second call {@code reserve#2}; its
   * result is read as what the method returns, type arguments included.
   *
   * <pre>{@code
   * Warehouse steps = ctx.steps(Warehouse.class, warehouse);
   * List<Label> labels = steps.printLabels(order);
   * }</pre>
   *
   * <p>Default methods are steps like the others, and what they call on {@code this} belongs to the
   * same step; static methods and those of {@link Object} are none. Arguments are recorded with the
   * step, for people who look at it; a replay does not read them. Whatever exceptions a method
   * declares, its caller gets {@link StepFailedException}. Retries and timeouts are those of the
   * run; for a step with its own use {@link #step(String)}.
   *
   * @param type the interface
   * @param implementation what does the work
   * @throws IllegalArgumentException if it is no interface, if two of its methods have the same
   *     name, or if a result type contains a type variable
   * @throws IllegalStateException if called from inside a step or from a thread that is not the
   *     workflow's, as are the methods
   */
  <T> T steps(Class<T> type, T implementation);

  /**
   * Sleeps durably: the worker is released and the run goes on when the time has come, on whatever
   * worker is free then. Zero or less returns at once.
   *
   * @param name the sleep's name
   * @param duration text such as {@code 30s}, {@code 1h30m} or {@code 2 weeks}
   * @throws IllegalArgumentException if the text is not a duration
   */
  void sleep(String name, String duration);

  /**
   * Sleeps durably: the worker is released and the run goes on when the time has come, on whatever
   * worker is free then. Zero or less returns at once.
   */
  void sleep(String name, Duration duration);

  /** Sleeps durably until a moment of the engine's time; a past one returns at once. */
  void sleepUntil(String name, Instant moment);

  /**
   * Begins a timer beside the workflow's own code, for {@link #race}. Its time is recorded when it
   * begins, and no thread and no worker is kept for it.
   *
   * @param name the timer's name
   * @param duration text such as {@code 30s}, {@code 1h30m} or {@code 2 weeks}
   * @throws IllegalArgumentException if the text is not a duration
   */
  StepFuture<@Nullable Void> timer(String name, String duration);

  /**
   * Begins a timer beside the workflow's own code.
   *
   * @see #timer(String, String)
   */
  StepFuture<@Nullable Void> timer(String name, Duration duration);

  /**
   * Waits for an event, however long that takes: the worker is released meanwhile. An event that
   * was sent before is found; each is given to one wait only, the oldest first. The step is known
   * by the event's name.
   *
   * @return what the event carries
   * @throws StepFailedException if what it carries cannot be read as the event's type
   */
  <T> T waitFor(EventType<T> event);

  /**
   * Waits for an event for a time, which begins when the wait is recorded first. Zero or less
   * returns what is there already.
   *
   * @param timeout text such as {@code 30s}, {@code 1h30m} or {@code 2 weeks}
   * @return what the event carries; empty if none has come in time
   * @throws StepFailedException if what it carries cannot be read as the event's type
   * @throws IllegalArgumentException if the text is not a duration
   * @see #waitFor(EventType)
   */
  <T> Optional<T> waitFor(EventType<T> event, String timeout);

  /**
   * Waits for an event for a time.
   *
   * @see #waitFor(EventType, String)
   */
  <T> Optional<T> waitFor(EventType<T> event, Duration timeout);

  /**
   * Begins to wait for an event beside the workflow's own code, for {@link #race} or {@link
   * #all(StepFuture[])}. No thread and no worker is kept for it.
   *
   * @return what will hold what the event carries, and is never empty
   */
  <T> StepFuture<Optional<T>> event(EventType<T> event);

  /**
   * Begins to wait for an event for a time.
   *
   * @param timeout text such as {@code 30s}, {@code 1h30m} or {@code 2 weeks}
   * @return what will hold what the event carries; empty if none has come in time
   * @throws IllegalArgumentException if the text is not a duration
   */
  <T> StepFuture<Optional<T>> event(EventType<T> event, String timeout);

  /**
   * Begins to wait for an event for a time.
   *
   * @see #event(EventType, String)
   */
  <T> StepFuture<Optional<T>> event(EventType<T> event, Duration timeout);

  /** Describes a child: a run of its own that this one starts and may wait for. */
  <I extends @Nullable Object, O extends @Nullable Object> ChildBuilder<I, O> child(
      WorkflowType<I, O> type);

  /**
   * Starts a child for each item, but has not more than so many live at the same time, and waits
   * for all of them: the worker is released meanwhile. It is one step, whose history does not grow
   * with the items; items and results lie in the database. Items are told apart by their place, so
   * the list must be the same in every replay; at most 100,000.
   *
   * @param name the name of the step
   * @param items what the children get
   * @param maxConcurrency how many children are live at the same time
   * @return what became of the children, in the order of the items
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws RequestRefusedException if the server refuses to start them, such as for a type that
   *     nobody has ever registered
   */
  <I extends @Nullable Object, O extends @Nullable Object> List<Outcome<O>> childMap(
      String name, List<? extends I> items, WorkflowType<I, O> type, int maxConcurrency);

  /**
   * Shows a value to clients under the name {@code state}.
   *
   * @see #setState(String, Object)
   */
  void setState(@Nullable Object value);

  /**
   * Shows a value to clients, who read it without a worker while the run is live and after it has
   * ended. When this returns the value is stored. It is no step and is not recorded: a replay shows
   * nothing again of what it passes by, and never an older value in place of a newer one. At most
   * 100 names in a run.
   *
   * @param name what clients ask for it by
   * @param value the value; {@code null} shows nothing under the name any more
   * @throws RequestRefusedException if the run has used too many names
   */
  void setState(String name, @Nullable Object value);

  /**
   * Waits until all branches have succeeded. The first that fails for good takes the others with
   * it: their threads are interrupted and they are recorded as cancelled together with the failure,
   * so that no replay begins them again. If several have failed, the first of them in the order of
   * the arguments is thrown.
   *
   * @throws StepFailedException if a branch has failed for good
   * @throws IllegalArgumentException if a future is not of this run or is named twice
   */
  void all(StepFuture<?>... futures);

  /**
   * Waits until all branches have succeeded and returns their results in the order of the list.
   *
   * @throws StepFailedException if a branch has failed for good
   * @throws IllegalArgumentException if a future is not of this run or is named twice
   * @see #all(StepFuture[])
   */
  <T extends @Nullable Object> List<T> all(List<? extends StepFuture<? extends T>> futures);

  /**
   * Waits until all branches are over, whatever becomes of them, and returns their outcomes in the
   * order of the list.
   *
   * @throws IllegalArgumentException if a future is not of this run or is named twice
   */
  <T extends @Nullable Object> List<Outcome<T>> settle(
      List<? extends StepFuture<? extends T>> futures);

  /**
   * Waits for the first branch that is over, well or not, and cancels the others. Which it was is
   * recorded under the name, so that every replay has the same winner.
   *
   * @throws StepFailedException if the first branch that was over has failed
   * @throws IllegalArgumentException if there is no future, or one is not of this run or is named
   *     twice
   */
  Winner<@Nullable Object> race(String name, StepFuture<?>... futures);

  /**
   * Waits for the first of branches with results of one type.
   *
   * @throws StepFailedException if the first branch that was over has failed
   * @throws IllegalArgumentException if there is no future, or one is not of this run or is named
   *     twice
   * @see #race(String, StepFuture[])
   */
  <T extends @Nullable Object> Winner<T> race(
      String name, List<? extends StepFuture<? extends T>> futures);

  /**
   * Executes a step for each item, all at the same time, and returns the results in the order of
   * the items. The steps are known as {@code name[key]}; the first that fails for good takes the
   * others with it, as in {@link #all(StepFuture[])}.
   *
   * @param name the name of the steps
   * @param items what there is to do
   * @param key tells the items apart, the same in every replay
   * @param type how the recorded results are read
   * @param fn the work for an item
   * @throws StepFailedException if a step has failed for good
   * @throws IllegalArgumentException if two items have the same key; then nothing is executed
   */
  <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      Class<T> type,
      ItemFn<? super I, ? extends T> fn);

  /**
   * Executes a step for each item, but not more than so many at the same time.
   *
   * @throws StepFailedException if a step has failed for good
   * @throws IllegalArgumentException if two items have the same key or the limit is less than 1
   * @see #parallel(String, Collection, Function, Class, ItemFn)
   */
  <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      int maxConcurrency,
      Class<T> type,
      ItemFn<? super I, ? extends T> fn);

  /**
   * Executes a step with a generic result for each item, but not more than so many at the same
   * time.
   *
   * @throws StepFailedException if a step has failed for good
   * @throws IllegalArgumentException if two items have the same key or the limit is less than 1
   * @see #parallel(String, Collection, Function, Class, ItemFn)
   */
  <I extends @Nullable Object, T extends @Nullable Object> List<T> parallel(
      String name,
      Collection<? extends I> items,
      Function<? super I, String> key,
      int maxConcurrency,
      TypeRef<T> type,
      ItemFn<? super I, ? extends T> fn);

  /**
   * Executes a body whose work is undone when it cannot be finished: when it throws, and when the
   * run is cancelled or runs out of time meanwhile. What was registered with {@link Saga#onFailure}
   * is then executed in reverse order, each as a step of its own with its own retries; one that
   * fails for good is recorded and the others are executed nevertheless. Afterwards the exception
   * is thrown again, with what failed to be undone as its suppressed exceptions. Sagas may be
   * nested; the inner one undoes its work first.
   *
   * <p>A sleep or another wait inside the body undoes nothing: the run goes on in the saga later.
   *
   * @return what the body returns
   * @throws Exception what the body throws
   */
  @SuppressWarnings("overloads")
  <T extends @Nullable Object> T saga(SagaFn<? extends T> body) throws Exception;

  /**
   * Executes a body without a result, a lambda with braces, whose work is undone when it cannot be
   * finished.
   *
   * @throws Exception what the body throws
   * @see #saga(SagaFn)
   */
  @SuppressWarnings("overloads")
  void saga(SagaAction body) throws Exception;

  /**
   * The engine's time when the run came here first, recorded: every replay gets the same moment.
   * Use it wherever the code between steps needs the time, and never the clock of the machine,
   * which shows another time in each replay. Each call is a recorded fact of its own, known by its
   * place among the calls: {@code now}, {@code now#2} and so on. It counts as a settled step and
   * costs a round trip the first time; it is accurate to about a round trip.
   *
   * @return the moment, in whole microseconds
   * @throws IllegalStateException if called from inside a step or from a thread that is not the
   *     workflow's
   */
  Instant now();

  /**
   * Whether this run goes the new way at a place where the code was changed: true for a run that
   * comes here for the first time, which is recorded as {@code patched:id}, and false for one that
   * had been past this place when the change was deployed. A run gets the same answer for an id
   * every time.
   *
   * <pre>{@code
   * if (ctx.patched("fraud-check")) {
   *   ctx.step("check fraud", () -> fraud.check(order));
   * }
   * }</pre>
   *
   * <p>When no run is left that needs the old way, drop the call and keep the new code: the marker
   * of runs that have it is then passed over, unlike a step that the code no longer asks for. Give
   * the next change an id of its own.
   *
   * @param id names the change; no {@code #}, {@code [} or {@code ]}
   * @throws IllegalStateException if called from inside a step or from a thread that is not the
   *     workflow's
   */
  boolean patched(String id);

  /**
   * Ends this run and starts its successor with another input, both in one transaction: the way to
   * go on for ever without a history that grows for ever. The successor has the same id, type,
   * queue, version, labels and policies, an execution timeout begins anew, and whoever waits for
   * the result waits for that of the last run. Branches that the workflow has begun are waited for
   * first, as at its end. Never returns; write {@code throw ctx.continueAs(next)}, so that the
   * compiler knows.
   *
   * @param input what the successor gets
   * @throws IllegalStateException if called inside a saga, whose work nobody could undo any more,
   *     inside a step, or from a thread that is not the workflow's
   */
  WorkflowSuspended continueAs(@Nullable Object input);

  /**
   * Ends this run and starts its successor under another version or on another queue.
   *
   * @see #continueAs(Object)
   */
  WorkflowSuspended continueAs(@Nullable Object input, ContinueOptions options);

  /**
   * A UUID that is the same each time this run asks for the same name, and that no other run gets.
   * Writes nothing; may be called from any thread.
   */
  UUID uuid(String name);

  /**
   * What to hand to another system so that it can recognise a repeated attempt of a step: the same
   * text in every attempt and every replay. Inside the step of that name it is the key of exactly
   * that step, numbered or keyed as it is; elsewhere give the full key, such as {@code charge#2} or
   * {@code charge[A]}, unless the plain name is meant. Writes nothing; may be called from any
   * thread.
   *
   * @param step a step's name or full key
   */
  String idempotencyKey(String step);

  /**
   * A logger that is silent while the run replays what it has done before, so that each line is
   * written once. May be called from any thread.
   */
  Logger log();

  /** Whether recorded results are still being replayed. May be called from any thread. */
  boolean replaying();
}
