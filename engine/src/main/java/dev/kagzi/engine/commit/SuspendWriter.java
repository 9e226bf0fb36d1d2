package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.ChildFailures;
import dev.kagzi.engine.domain.ChildResult;
import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.SuspendOutcome.WaitState;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.ChildStore.Standing;
import dev.kagzi.engine.store.EventStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.store.WaitStore.NewWait;
import dev.kagzi.engine.store.WaitStore.Release;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes suspensions: the waits are recorded and the run handed back in one transaction, so that no
 * crash can fall between the two.
 */
final class SuspendWriter {

  private final WaitStore waits;
  private final StepStore steps;
  private final EventStore events;
  private final ChildStore children = new ChildStore();
  private final WaitEndings endings;

  SuspendWriter(WaitStore waits, StepStore steps, EventStore events, WaitEndings endings) {
    this.waits = waits;
    this.steps = steps;
    this.events = events;
    this.endings = endings;
  }

  void write(
      Transaction tx, List<Command.Suspend> commands, HeldRuns runs, Answers answers, Instant now) {
    record(tx, commands.stream().filter(c -> runs.mayGrowUnder(c.fence())).toList(), now);
    List<Step> asked = new ArrayList<>();
    commands.forEach(c -> c.waits().forEach(w -> asked.add(new Step(c.runId(), w.stepKey()))));
    Map<Step, Instant> openUntil = waits.findOpen(tx, asked);
    List<Step> over = asked.stream().filter(step -> !openUntil.containsKey(step)).toList();
    Map<Step, RecordedStep> ended = over.isEmpty() ? Map.of() : steps.findSettled(tx, over);
    List<Command.Suspend> releasing = new ArrayList<>();
    for (Command.Suspend command : commands) {
      List<WaitState> states = states(command, openUntil, ended);
      boolean mayLeave = mayLeave(command, openUntil, ended);
      if (runs.mayGrowUnder(command.fence())) {
        boolean release = command.release() && mayLeave && !isStopped(runs, command);
        answers.answer(command, new SuspendOutcome(states, release));
        if (release) {
          releasing.add(command);
        }
      } else if (mayLeave && isSuspendedUnder(command.fence(), runs.live(command.runId()))) {
        answers.answer(command, new SuspendOutcome(states, true));
      } else {
        answers.refuse(command, runs.refusal(command.fence()));
      }
    }
    release(tx, releasing, runs, answers);
  }

  /** Whether there is nothing to do for the run before what it wants to be woken by. */
  private static boolean mayLeave(
      Command.Suspend command, Map<Step, Instant> openUntil, Map<Step, RecordedStep> ended) {
    boolean everythingLacks = true;
    boolean someNewsLacks = false;
    for (WaitRequest wait : command.waits()) {
      Step step = new Step(command.runId(), wait.stepKey());
      boolean open = openUntil.containsKey(step);
      if (!open && (command.wakeWhen() == WakeWhen.ANY || wait.kind().isForTime())) {
        return false;
      }
      RecordedStep over = ended.get(step);
      if (command.wakeWhen() == WakeWhen.ALL_OR_FAILED
          && over != null
          && over.status() != StepStatus.COMPLETED) {
        return false;
      }
      everythingLacks &= open;
      someNewsLacks |= open && !wait.kind().isForTime();
    }
    return everythingLacks || someNewsLacks;
  }

  /** A run that has been asked to end has something to do now. */
  private static boolean isStopped(HeldRuns runs, Command.Suspend command) {
    LiveRun run = runs.live(command.runId());
    return run != null && run.stop() != null;
  }

  private void record(Transaction tx, List<Command.Suspend> held, Instant now) {
    if (held.isEmpty()) {
      return;
    }
    List<NewWait> asked = new ArrayList<>();
    held.forEach(c -> c.waits().forEach(w -> asked.add(new NewWait(c.fence(), w))));
    List<RunId> runIds = held.stream().map(Command.Suspend::runId).toList();
    // Twice: what is over makes room for the next wait of its step, and what is new may be over.
    waits.endDue(tx, runIds, now);
    waits.insert(tx, asked, now);
    lookForNews(tx, held, now);
    waits.endDue(tx, runIds, now);
  }

  /**
   * What came before the wait, found by statements of their own after it is written: whoever brings
   * news later finds the wait. It comes before the time that is up, so that a wait of no length at
   * all gets what is there.
   */
  private void lookForNews(Transaction tx, List<Command.Suspend> held, Instant now) {
    List<RunId> forEvents = waitingFor(WaitKind.EVENT, held);
    if (!forEvents.isEmpty()) {
      endings.settle(tx, events.consume(tx, forEvents, now), now);
    }
    lookForChildren(tx, held, now);
  }

  /** Whatever a child that has ended before brought with it lies in its item. */
  private void lookForChildren(Transaction tx, List<Command.Suspend> held, Instant now) {
    List<Step> asked = new ArrayList<>();
    for (Command.Suspend command : held) {
      command.waits().stream()
          .filter(wait -> wait.kind() == WaitKind.CHILD)
          .forEach(wait -> asked.add(new Step(command.runId(), wait.stepKey())));
    }
    if (asked.isEmpty()) {
      return;
    }
    Map<Step, Standing> standings = children.findStandings(tx, asked);
    List<EndedWait> over = new ArrayList<>();
    for (Step step : asked) {
      Standing standing = standings.get(step);
      if (standing == null) {
        over.add(
            EndedWait.by(step.runId(), step.stepKey(), null, null, ChildFailures.neverStarted()));
      } else if (standing.over()) {
        over.add(ended(step, standing.result()));
      }
    }
    endings.settle(tx, over, now);
  }

  private static EndedWait ended(Step step, @Nullable ChildResult child) {
    return child == null
        ? EndedWait.byAll(step.runId(), step.stepKey())
        : EndedWait.by(step.runId(), step.stepKey(), child.child(), child.output(), child.error());
  }

  private static List<RunId> waitingFor(WaitKind kind, List<Command.Suspend> held) {
    return held.stream()
        .filter(command -> command.waits().stream().anyMatch(wait -> wait.kind() == kind))
        .map(Command.Suspend::runId)
        .toList();
  }

  private static List<WaitState> states(
      Command.Suspend command, Map<Step, Instant> openUntil, Map<Step, RecordedStep> ended) {
    List<WaitState> states = new ArrayList<>();
    for (WaitRequest request : command.waits()) {
      Step step = new Step(command.runId(), request.stepKey());
      Instant endsAt = openUntil.getOrDefault(step, request.end());
      states.add(
          new WaitState(
              request.stepKey(), WaitStore.NEVER.equals(endsAt) ? null : endsAt, ended.get(step)));
    }
    return states;
  }

  /** The repetition of a suspension whose answer was lost. */
  private static boolean isSuspendedUnder(Fence fence, @Nullable LiveRun run) {
    return run != null
        && run.status() != RunStatus.RUNNING
        && run.epoch() == fence.epoch()
        && run.target().namespace().equals(fence.namespace());
  }

  private void release(
      Transaction tx, List<Command.Suspend> releasing, HeldRuns runs, Answers answers) {
    if (releasing.isEmpty()) {
      return;
    }
    Map<RunId, Instant> due =
        waits.releaseWaiting(
            tx, releasing.stream().map(c -> new Release(c.fence(), c.wakeWhen())).toList());
    due.forEach((runId, at) -> {
      LiveRun run = runs.live(runId);
      if (run != null && !at.equals(WaitStore.NEVER)) {
        answers.workDueAt(run.target().queue(), at);
      }
    });
  }
}
