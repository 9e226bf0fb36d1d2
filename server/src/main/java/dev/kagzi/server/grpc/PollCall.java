package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.v1.PollTaskResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One poll from its arrival to its end: answered once or cancelled, whichever comes first.
 * Thread-safe.
 */
final class PollCall implements Poll.Listener {

  /** Who takes the answer. Must not block. */
  interface Caller {
    /** Sends the answer; returns false if there is nobody to send it to. */
    boolean deliver(PollTaskResponse response);
  }

  private final TaskPolls polls;
  private final Caller caller;
  private boolean ended;
  private @Nullable Poll poll;
  private Runnable whenOver = () -> {};

  PollCall(TaskPolls polls, Caller caller) {
    this.polls = polls;
    this.caller = caller;
  }

  /** Notes what is to be done when the waiting is over, however it ends. */
  void waiting(Runnable over) {
    synchronized (this) {
      if (!ended) {
        whenOver = over;
        return;
      }
    }
    over.run();
  }

  /** Notes what waits for this call in the engine. */
  void waitsAs(Poll waiting) {
    synchronized (this) {
      poll = waiting;
      if (!ended) {
        return;
      }
    }
    // Answered already, which this does not disturb, or cancelled before the engine knew it.
    waiting.cancel();
  }

  @Override
  public boolean tasks(List<Task> tasks) {
    return answer(polls.response(tasks));
  }

  @Override
  public void empty() {
    answer(polls.response(List.of()));
  }

  /** Answers, unless the call is over. */
  boolean answer(PollTaskResponse response) {
    return end() && caller.deliver(response);
  }

  /** Ends the waiting; nobody is answered any more, and what a claim brings is given back. */
  void cancel() {
    if (end()) {
      Poll waiting;
      synchronized (this) {
        waiting = poll;
      }
      if (waiting != null) {
        waiting.cancel();
      }
    }
  }

  private boolean end() {
    Runnable over;
    synchronized (this) {
      if (ended) {
        return false;
      }
      ended = true;
      over = whenOver;
    }
    over.run();
    return true;
  }
}
