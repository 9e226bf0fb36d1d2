package dev.kagzi.engine.operation;

import dev.kagzi.engine.commit.Command;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;

/** What a worker does with runs: take them, report on them, hand them back. */
public final class Tasks {

  private final Dispatcher dispatcher;
  private final Workers workers;
  private final GroupCommit commits;

  public Tasks(Dispatcher dispatcher, Workers workers, GroupCommit commits) {
    this.dispatcher = dispatcher;
    this.workers = workers;
    this.commits = commits;
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

  /** Announces a step that takes its time. */
  public void beginStep(Beginning beginning) {
    commits.commit(new Command.BeginStep(beginning));
  }

  /** Records a step's result; the step is settled when this returns. */
  public StepOutcome completeStep(Fence fence, WorkerId worker, StepResult result) {
    return commits.commit(new Command.CompleteStep(fence, worker, result));
  }

  /** Records a timer and hands the run back until it rings. */
  public SleepOutcome sleep(Fence fence, TimerWait timer) {
    return commits.commit(new Command.Sleep(fence, timer));
  }

  /** Ends the run. */
  public void finish(Fence fence, RunEnding ending) {
    commits.commit(new Command.Finish(fence, ending));
  }

  /** Hands the run back as it is; returns whether it was still held. */
  public boolean release(Fence fence) {
    return commits.commit(new Command.Release(fence));
  }
}
