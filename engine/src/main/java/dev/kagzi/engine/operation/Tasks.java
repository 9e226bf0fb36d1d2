package dev.kagzi.engine.operation;

import dev.kagzi.engine.commit.Command;
import dev.kagzi.engine.commit.CommitListener;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.BeginOutcome;
import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.StateStore.Publication;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** What a worker does with runs: take them, report on them, hand them back. */
public final class Tasks {

  private final Dispatcher dispatcher;
  private final Workers workers;
  private final GroupCommit commits;
  private final Histories histories;
  private final StepCap cap;

  public Tasks(
      Dispatcher dispatcher,
      Workers workers,
      GroupCommit commits,
      Histories histories,
      StepCap cap) {
    this.cap = cap;
    this.dispatcher = dispatcher;
    this.workers = workers;
    this.commits = commits;
    this.histories = histories;
  }

  /**
   * Waits for work on behalf of a worker, up to a time. A worker that drains gets nothing.
   *
   * @throws dev.kagzi.engine.domain.EngineException if the worker is not registered
   */
  public Poll poll(Poll.Request request, Duration wait, Poll.Listener listener) {
    if (workers.isDraining(request.queue().namespace(), request.worker())) {
      Poll nothing = dispatcher.poll(request, Duration.ZERO, listener);
      nothing.expire();
      return nothing;
    }
    return dispatcher.poll(request, wait, listener);
  }

  /** A later page of the history of a run that a worker holds. */
  public HistoryPage history(Fence fence, HistoryPage.Position after) {
    return histories.page(fence, after);
  }

  /** A page of some steps of that history; those that are not there are left out. */
  public HistoryPage history(Fence fence, HistoryPage.Position after, List<String> stepKeys) {
    return histories.page(fence, after, stepKeys);
  }

  /** Announces a step that takes its time, or that must not run twice. */
  public Heard<BeginOutcome> beginStep(Beginning beginning) {
    RunId runId = beginning.fence().runId();
    cap.require(runId, beginning.seq(), beginning.kind(), beginning.traits());
    return commits.commitAndHear(new Command.BeginStep(beginning));
  }

  /** Records a step's result; the step is settled when this returns. */
  public Heard<StepOutcome> completeStep(Fence fence, WorkerId worker, StepResult result) {
    return completeStep(fence, worker, result, List.of());
  }

  /** The same for a step whose result settles others as cancelled, unless they are settled. */
  public Heard<StepOutcome> completeStep(
      Fence fence, WorkerId worker, StepResult result, List<CancelledStep> cancelled) {
    return commits.commitAndHear(completion(fence, worker, result, cancelled));
  }

  /** The same for somebody who does not wait. */
  public void completeStep(
      Fence fence,
      WorkerId worker,
      StepResult result,
      List<CancelledStep> cancelled,
      CommitListener<StepOutcome> listener) {
    commits.commitThen(completion(fence, worker, result, cancelled), listener);
  }

  private Command.CompleteStep completion(
      Fence fence, WorkerId worker, StepResult result, List<CancelledStep> cancelled) {
    cap.require(fence.runId(), result.seq(), result.kind(), result.traits());
    cap.require(fence.runId(), cancelled);
    return new Command.CompleteStep(fence, worker, result, cancelled);
  }

  /** Records a failed attempt and says whether there will be another. */
  public Heard<FailOutcome> failStep(Fence fence, WorkerId worker, StepFailure failure) {
    return failStep(fence, worker, failure, List.of());
  }

  /**
   * The same for a step that takes others with it: if it is settled as failed, by this attempt or
   * before, they are settled as cancelled unless they are settled already.
   */
  public Heard<FailOutcome> failStep(
      Fence fence, WorkerId worker, StepFailure failure, List<CancelledStep> cancelled) {
    cap.require(fence.runId(), failure.seq(), failure.kind(), failure.traits());
    cap.require(fence.runId(), cancelled);
    return commits.commitAndHear(new Command.FailStep(fence, worker, failure, cancelled));
  }

  /** Records waits and, if asked to, hands the run back until the first of them ends. */
  public Heard<SuspendOutcome> suspend(Fence fence, List<WaitRequest> waits, boolean release) {
    return suspend(fence, waits, release, WakeWhen.ANY);
  }

  /** The same for a run that goes on only after several of them have ended. */
  public Heard<SuspendOutcome> suspend(
      Fence fence, List<WaitRequest> waits, boolean release, WakeWhen wakeWhen) {
    // A retry belongs to a step that was accepted before.
    waits.stream()
        .filter(wait -> wait.kind() != WaitKind.RETRY)
        .forEach(wait -> cap.require(fence.runId(), wait.seq(), StepKind.SLEEP, wait.traits()));
    return commits.commitAndHear(new Command.Suspend(fence, waits, release, wakeWhen));
  }

  /** The one-timer case of {@link #suspend}. */
  public SleepOutcome sleep(Fence fence, TimerWait timer) {
    WaitRequest request =
        new WaitRequest(timer.stepKey(), timer.seq(), WaitKind.TIMER, timer.wakeAt());
    SuspendOutcome outcome = suspend(fence, List.of(request), true).outcome();
    Instant wakeAt = Objects.requireNonNull(outcome.waits().get(0).wakeAt());
    return outcome.released() ? new SleepOutcome.Released(wakeAt) : new SleepOutcome.Over(wakeAt);
  }

  /** Shows a value to clients, unless a newer one is shown; says whether it is. */
  public Heard<Boolean> publish(Publication publication) {
    return commits.commitAndHear(new Command.PublishState(publication));
  }

  /** Ends the run, or lets it wait for its next attempt. */
  public FinishOutcome finish(Fence fence, RunEnding ending) {
    return commits.commit(new Command.Finish(fence, ending));
  }

  /** The same for somebody who does not wait. */
  public void finish(Fence fence, RunEnding ending, CommitListener<FinishOutcome> listener) {
    commits.commitThen(new Command.Finish(fence, ending), listener);
  }

  /** Hands the run back as it is; returns whether it was still held. */
  public boolean release(Fence fence) {
    return commits.commit(new Command.Release(fence, null));
  }

  /** Hands back a run whose history the worker's code does not fit; it is parked for a while. */
  public boolean park(Fence fence, Divergence divergence) {
    return commits.commit(new Command.Release(fence, divergence));
  }
}
