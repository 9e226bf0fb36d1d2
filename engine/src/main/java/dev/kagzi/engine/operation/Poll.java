package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.ClaimStore.Slot;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;

/**
 * A worker that waits for work: an object, not a thread and not a connection. It is answered
 * exactly once, by whoever comes first: a claim, its time limit, or the end of its call.
 *
 * <p>While a claim is under way for it (TAKEN) the other two only leave a note; the claim then
 * finds out and hands back what it brought. Thread-safe.
 */
public final class Poll {

  /** Who asked. Called at most once, and must not block. */
  public interface Listener {

    /** Runs for the worker. Returns false if they could not be handed over. */
    boolean tasks(List<Task> tasks);

    /** Nothing came up in time. */
    void empty();
  }

  /**
   * What a worker asks for.
   *
   * @param claimId the same when the worker repeats a poll whose answer it did not get
   * @param isNew whether the worker says that it does not repeat one
   */
  public record Request(
      WorkerId worker,
      QueueKey queue,
      List<TypeVersion> types,
      int maxTasks,
      UUID claimId,
      boolean isNew) {
    public Request {
      types = List.copyOf(types);
    }

    /** A poll that may be a repetition. */
    public Request(
        WorkerId worker, QueueKey queue, List<TypeVersion> types, int maxTasks, UUID claimId) {
      this(worker, queue, types, maxTasks, claimId, false);
    }

    /** A poll that will not be repeated. */
    public static Request of(
        WorkerId worker, QueueKey queue, List<TypeVersion> types, int maxTasks) {
      return new Request(worker, queue, types, maxTasks, UUID.randomUUID());
    }

    Slot slot() {
      return new Slot(worker, claimId);
    }
  }

  private enum State {
    OPEN,
    TAKEN,
    ANSWERED
  }

  private final Request request;
  private final Listener listener;
  private final Future<?> limit;
  private State state = State.OPEN;
  private volatile boolean lookedUp;
  private boolean expired;
  private boolean cancelled;

  Poll(Request request, Listener listener, Timers timers, Duration wait) {
    this.request = request;
    this.lookedUp = request.isNew();
    this.listener = listener;
    this.limit = timers.cancellable(wait, this::expire);
  }

  Request request() {
    return request;
  }

  /** Whether it asks for runs of this type. */
  boolean wants(TypeVersion type) {
    return request.types().contains(type);
  }

  /** Reserves the poll for a claim. */
  synchronized boolean take() {
    if (state != State.OPEN) {
      return false;
    }
    state = State.TAKEN;
    return true;
  }

  /** The claim brought nothing for this poll. Returns whether it goes on waiting. */
  boolean putBack() {
    boolean hungUp;
    synchronized (this) {
      if (!expired && !cancelled) {
        state = State.OPEN;
        return true;
      }
      state = State.ANSWERED;
      hungUp = cancelled;
    }
    if (!hungUp) {
      listener.empty();
    }
    return false;
  }

  /** Hands over what the claim brought. Returns false if the worker is no longer there. */
  boolean deliver(List<Task> tasks) {
    synchronized (this) {
      state = State.ANSWERED;
      limit.cancel(false);
      if (cancelled) {
        return false;
      }
    }
    return listener.tasks(tasks);
  }

  /** The time limit has passed. */
  void expire() {
    synchronized (this) {
      expired = true;
      if (state != State.OPEN) {
        return;
      }
      state = State.ANSWERED;
    }
    listener.empty();
  }

  /** The worker hung up; nobody is there to be answered. */
  public synchronized void cancel() {
    cancelled = true;
    limit.cancel(false);
    if (state == State.OPEN) {
      state = State.ANSWERED;
    }
  }

  /** Whether it has been made sure that this is no repetition of a poll that claimed runs. */
  boolean isLookedUp() {
    return lookedUp;
  }

  void lookedUp() {
    lookedUp = true;
  }

  /** A claim for it failed, and nobody knows whether it took effect. */
  void inDoubt() {
    lookedUp = false;
  }

  synchronized boolean isOpen() {
    return state == State.OPEN;
  }
}
