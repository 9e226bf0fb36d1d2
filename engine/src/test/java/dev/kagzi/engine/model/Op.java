package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WakeWhen;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that one of the actors does. Runs and schedules are called by the tags that their
 * creators gave them, so that an operation means the same when others are taken out of its history.
 */
sealed interface Op {

  /** Who does it. */
  String actor();

  /** Something that is done to a run, which must have existed. */
  sealed interface OnRun extends Op {
    String run();
  }

  /** Something that a client does. */
  sealed interface Asked extends Op {
    String client();

    @Override
    default String actor() {
      return client();
    }
  }

  /** Something that a worker does; its process must have registered. */
  sealed interface Worked extends Op {
    String worker();

    @Override
    default String actor() {
      return worker();
    }
  }

  /** Something that a loop does. */
  sealed interface Looped extends Op {
    @Override
    default String actor() {
      return "engine";
    }
  }

  /** What a run may be started with. */
  record Wish(
      @Nullable String externalId,
      ReusePolicy reuse,
      String type,
      @Nullable String queue,
      @Nullable String version,
      Duration delay,
      @Nullable Duration deadline,
      @Nullable Duration limit,
      int attempts,
      boolean handled) {}

  record Start(String client, String tag, String namespace, Wish wish) implements Asked {}

  /** The repetition of a start, by the id of its run. */
  record StartAgain(String client, String run) implements Asked, OnRun {}

  record Cancel(String client, String namespace, String run, boolean terminate)
      implements Asked, OnRun {}

  record Retry(String client, String namespace, String run, @Nullable Integer expected)
      implements Asked, OnRun {}

  record Fork(String client, String tag, String namespace, String run, @Nullable String fromStep)
      implements Asked, OnRun {}

  record Send(String client, String namespace, String run, String event, String key)
      implements Asked, OnRun {}

  record Delete(String client, String namespace, String run) implements Asked, OnRun {}

  record NewSchedule(
      String client,
      String tag,
      String namespace,
      int minutes,
      int maxCatchup,
      OverlapPolicy overlap)
      implements Asked {}

  /** What is done to a schedule, which must have existed. */
  enum Touch {
    PAUSE,
    RESUME,
    TRIGGER,
    DELETE
  }

  record OnSchedule(String client, Touch touch, String schedule) implements Asked {}

  record Register(String worker, String namespace, String queue, List<String> types)
      implements Worked {}

  record Poll(String worker, int max) implements Worked {}

  record Begin(
      String worker,
      String run,
      String step,
      int attempt,
      @Nullable Duration timeout,
      int attempts,
      boolean atMostOnce)
      implements Worked, OnRun {}

  record Complete(String worker, String run, String step, int attempt) implements Worked, OnRun {}

  record Fail(String worker, String run, String step, int attempt, int attempts, boolean fatal)
      implements Worked, OnRun {}

  /** One wait of a suspension; what it waits for follows from its step. */
  record Wait(String step, WaitKind kind, @Nullable Duration limit) {}

  record Suspend(String worker, String run, List<Wait> waits, boolean release, WakeWhen wakeWhen)
      implements Worked, OnRun {}

  record StartChild(
      String worker,
      String run,
      String tag,
      String step,
      int attempt,
      String type,
      @Nullable String externalId,
      ParentClosePolicy close)
      implements Worked, OnRun {}

  record Beat(String worker) implements Worked {}

  record Release(String worker, String run) implements Worked, OnRun {}

  record Park(String worker, String run) implements Worked, OnRun {}

  /** How a worker may end a run. */
  enum How {
    COMPLETED,
    FAILED,
    FAILED_FOR_GOOD,
    CONTINUED,
    STOPPED,
    OUT_OF_TIME
  }

  record Finish(String worker, String run, How how, @Nullable String failedStep)
      implements Worked, OnRun {}

  record Drain(String worker) implements Worked {}

  record Deregister(String worker) implements Worked {}

  /** Its stream ended and it did not come back. */
  record Die(String worker) implements Worked {}

  record SweepLeases() implements Looped {}

  record SweepWorkers() implements Looped {}

  record EnforceDeadlines() implements Looped {}

  record EnforceTimeouts() implements Looped {}

  record FireSchedules() implements Looped {}

  record CloseChildren() implements Looped {}

  record Advance(Duration by) implements Looped {}
}
