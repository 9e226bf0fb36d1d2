package dev.kagzi.sdk.client;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Explanation;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepView;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.internal.EventCall;
import dev.kagzi.sdk.internal.RunView;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One run, seen from outside. Holds nothing but its id, so it may be dropped and made again with
 * {@link KagziClient#handle(String, Class)}. Thread-safe.
 *
 * @param <O> what the run returns
 */
public final class WorkflowHandle<O extends @Nullable Object> {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final WorkflowCalls calls;
  private final PayloadCodec codec;
  private final String runId;
  private final boolean alreadyExisted;
  private final ResultReader<O> reader;

  WorkflowHandle(
      WorkflowCalls calls,
      PayloadCodec codec,
      String runId,
      boolean alreadyExisted,
      ResultReader<O> reader) {
    this.calls = calls;
    this.codec = codec;
    this.runId = runId;
    this.alreadyExisted = alreadyExisted;
    this.reader = reader;
  }

  /** The id of the run. */
  public String runId() {
    return runId;
  }

  /**
   * Whether the start that gave this handle started nothing and found this run: a live one with the
   * same id, or an ended one that the {@linkplain StartBuilder#reusePolicy reuse policy} does not
   * pass over.
   */
  public boolean alreadyExisted() {
    return alreadyExisted;
  }

  /**
   * The state of the run now.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public RunStatus status() {
    return calls.get(runId).status();
  }

  /**
   * Sends an event to the run, whether or not it waits for it yet.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.RequestRefusedException if the run has ended or keeps too many events
   * @see KagziClient#send(String, EventType, Object)
   */
  public <T> void send(EventType<T> event, T payload) {
    calls.send(runId, EventCall.of(event, payload, codec));
  }

  /**
   * What the run shows under the name {@code state}, live or ended; empty if it shows nothing.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <T> Optional<T> state(Class<T> type) {
    return read(calls.state(runId, null), type);
  }

  /**
   * What the run shows under a name, live or ended; empty if it shows nothing.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <T> Optional<T> state(String name, Class<T> type) {
    return read(calls.state(runId, name), type);
  }

  /**
   * What the run shows under a name, with a generic type.
   *
   * @see #state(String, Class)
   */
  public <T> Optional<T> state(String name, TypeRef<T> type) {
    return read(calls.state(runId, name), type.type());
  }

  @SuppressWarnings("unchecked") // The codec reads it as this type or throws.
  private <T> Optional<T> read(Optional<Payload> shown, Type type) {
    return shown.flatMap(payload -> Optional.ofNullable((T) codec.decode(payload, type)));
  }

  /**
   * Says why the run is where it is: what it waits for, who executes it, or why nobody does.
   * Changes nothing.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public Explanation explain() {
    return calls.admin().explain(runId);
  }

  /**
   * What the run has done so far and is doing now, in call order: each step with its latest
   * attempt. Changes nothing. Reading it throws {@link dev.kagzi.sdk.WorkflowNotFoundException} if
   * there is no such run.
   */
  public Listing<StepView> steps() {
    return new Listing<>((size, token) -> calls.admin().steps(runId, size, token));
  }

  /**
   * The run, its input, its outcome and what its steps came to so far, as JSON for {@link
   * dev.kagzi.sdk.replay.WorkflowReplayer}: save it, and try changed code against it. It holds all
   * inputs and results of the run as they are stored; docs/replay.md describes the form.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public String exportHistory() {
    return calls.exportHistory(runId);
  }

  /**
   * Waits for the run to end, however long it takes and through server restarts.
   *
   * @return what the run returned; of a run that continued as new, what the last one returned
   * @throws WorkflowFailedException if it ended without a result
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answered for two minutes
   * @throws InterruptedException if the waiting thread was interrupted; the run goes on
   */
  public O result() throws InterruptedException {
    return read(calls.awaitEnd(runId, FOR_EVER).orElseThrow());
  }

  /**
   * Waits for the run to end, but not longer than this.
   *
   * @throws TimeoutException if the run has not ended by then; it goes on
   * @throws WorkflowFailedException if it ended without a result
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws InterruptedException if the waiting thread was interrupted; the run goes on
   */
  public O result(Duration limit) throws InterruptedException, TimeoutException {
    var end = calls.awaitEnd(runId, limit);
    if (end.isEmpty()) {
      throw new TimeoutException(
          "run %s has not ended within %s".formatted(runId, Durations.format(limit)));
    }
    return read(end.get());
  }

  /**
   * Cancels the run without giving a reason.
   *
   * @see #cancel(String)
   */
  public CancelOutcome cancel() {
    return cancel("");
  }

  /**
   * Cancels the run, whether it waits, sleeps or is being executed. A worker that executes it hears
   * of it with its next call or heartbeat at the latest, interrupts the step and drops its result.
   * Safe to repeat; a run that has ended stays as it is, and of one that continued as new the last
   * run is cancelled.
   *
   * @param reason why, for people; {@link WorkflowFailedException#errorMessage} shows it to whoever
   *     waits for the result
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the run may be cancelled
   *     nevertheless
   */
  public CancelOutcome cancel(String reason) {
    return calls.cancel(runId, reason);
  }

  /**
   * Ends the run at once, without undoing anything: sagas of the run do not compensate.
   *
   * @param reason why, for people
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the run may be ended
   *     nevertheless
   */
  public CancelOutcome terminate(String reason) {
    return calls.terminate(runId, reason);
  }

  /**
   * Sends the run back to work without giving a reason.
   *
   * @see #retry(String)
   */
  public boolean retry() {
    return retry("");
  }

  /**
   * Sends a run that failed or timed out back to work: it goes on from the step that failed, and
   * what it has done before stays done.
   *
   * @param reason why, for people
   * @return whether the run was sent back; false if it was at work already
   * @throws dev.kagzi.sdk.RequestRefusedException if the run cannot go on: {@code ALREADY_ACTIVE}
   *     when another run has its id, {@code COMPENSATED} when it has undone its work
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public boolean retry(String reason) {
    return calls.retry(runId, reason);
  }

  /**
   * Starts a new run of the same workflow with the same input that has done all that this one had
   * done before a step, and begins with that step.
   *
   * @param step the key of the step
   * @return the new run
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such step
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the new run may exist
   *     nevertheless
   */
  public WorkflowHandle<O> forkFrom(String step) {
    return new WorkflowHandle<>(
        calls, codec, calls.fork(runId, new StepKey(step).value()), false, reader);
  }

  private O read(RunView end) {
    if (end.status() != RunStatus.COMPLETED) {
      throw new WorkflowFailedException(
          end.runId(), end.status(), end.errorType(), end.errorMessage(), end.failedStep());
    }
    return reader.read(end.output());
  }
}
