package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.store.WaitStore.Timer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes sleeps: the timer is recorded and the run handed back in one transaction. */
final class SleepWriter {

  private final WaitStore store;

  SleepWriter(WaitStore store) {
    this.store = store;
  }

  void write(
      Transaction tx, List<Command.Sleep> commands, HeldRuns runs, Answers answers, Instant now) {
    List<Timer> timers = new ArrayList<>();
    for (Command.Sleep command : commands) {
      if (runs.isHeldUnder(command.fence())) {
        timers.add(new Timer(command.fence(), command.timer()));
      }
    }
    if (!timers.isEmpty()) {
      store.insertTimers(tx, timers, now);
      store.endDueTimers(tx, ids(timers), now);
    }
    Map<Step, Instant> wakeTimes =
        store.findWakeTimes(tx, commands.stream().map(command -> step(command)).toList());
    List<Fence> toRelease = new ArrayList<>();
    for (Command.Sleep command : commands) {
      Instant wakeAt = wakeTimes.get(step(command));
      if (answer(command, wakeAt, runs, answers) && runs.isHeldUnder(command.fence())) {
        toRelease.add(command.fence());
      }
    }
    if (!toRelease.isEmpty()) {
      store.releaseSleeping(tx, toRelease);
    }
  }

  /** Answers a command and says whether its run sleeps. */
  private static boolean answer(
      Command.Sleep command, @Nullable Instant wakeAt, HeldRuns runs, Answers answers) {
    Fence fence = command.fence();
    if (runs.isHeldUnder(fence)) {
      if (wakeAt == null) {
        answers.answer(command, new SleepOutcome.Over(command.timer().wakeAt()));
        return false;
      }
      sleeps(command, wakeAt, runs, answers);
      return true;
    }
    if (wakeAt != null && isAsleepUnder(fence, runs.live(fence.runId()))) {
      sleeps(command, wakeAt, runs, answers);
      return true;
    }
    answers.refuse(command, runs.refusal(fence));
    return false;
  }

  private static void sleeps(
      Command.Sleep command, Instant wakeAt, HeldRuns runs, Answers answers) {
    answers.answer(command, new SleepOutcome.Released(wakeAt));
    LiveRun run = runs.live(command.runId());
    if (run != null) {
      answers.workDueAt(run.target().queue(), wakeAt);
    }
  }

  /** The repetition of a sleep whose answer was lost. */
  private static boolean isAsleepUnder(Fence fence, @Nullable LiveRun run) {
    return run != null
        && run.status() == RunStatus.SLEEPING
        && run.epoch() == fence.epoch()
        && run.target().namespace().equals(fence.namespace());
  }

  private static List<RunId> ids(List<Timer> timers) {
    return timers.stream().map(timer -> timer.fence().runId()).toList();
  }

  private static Step step(Command.Sleep command) {
    return new Step(command.runId(), command.timer().stepKey());
  }
}
