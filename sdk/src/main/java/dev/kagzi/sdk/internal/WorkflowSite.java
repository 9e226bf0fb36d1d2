package dev.kagzi.sdk.internal;

import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.StepAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Steps that the workflow waits for at once. Belongs to the workflow's thread. */
final class WorkflowSite implements StepSite {

  /** What a step may take to end when its run was asked to stop, before its work is undone. */
  static final Duration LAST_MOMENTS = Duration.ofSeconds(5);

  private final RunPass pass;
  private final Waits waits;
  private final Branches branches;
  private final StuckThreads stuck;
  private final StepWatch watch;

  WorkflowSite(RunPass pass, Waits waits, Branches branches, WorkerTools tools) {
    this.pass = pass;
    this.waits = waits;
    this.branches = branches;
    this.stuck = tools.stuck();
    this.watch = tools.watch();
  }

  @Override
  public void requireGoingOn() {
    pass.requireGoingOn();
  }

  @Override
  public <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) {
    return pass.call(rpc, request);
  }

  /**
   * The workflow's thread executes the step itself, unless it is needed elsewhere should the step
   * not end: another thread can go on with the run, but not with its branches.
   */
  @Override
  public @Nullable Object execute(
      Attempt attempt, Duration timeout, Supplier<FailStepRequest> lastWords)
      throws ExecutionException, TimeoutException {
    if (pass.mayExecuteSteps() && branches.areOver()) {
      return new DirectAttempt(attempt, timeout, stuck, lastWords).execute(watch);
    }
    attempt.start();
    return await(attempt, timeout);
  }

  private @Nullable Object await(Attempt execution, Duration timeout)
      throws ExecutionException, TimeoutException {
    HeldRun held = pass.claim().held();
    held.beginWait();
    try {
      return execution.await(timeout);
    } catch (InterruptedException e) {
      stuck.leaveBehind(execution);
      return lastMoments(execution);
    } catch (TimeoutException e) {
      stuck.leaveBehind(execution);
      throw e;
    } finally {
      held.endWait();
    }
  }

  /**
   * A step whose run was asked to stop had better end before its work is undone. If it returns in
   * spite of its interruption, that counts.
   */
  private @Nullable Object lastMoments(Attempt execution) {
    if (pass.mustLeave()) {
      throw pass.interrupted();
    }
    try {
      return execution.await(LAST_MOMENTS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw pass.interrupted();
    }
  }

  @Override
  public void awaitRetry(StepCall step, int attempt, Instant at) {
    waits.forRetry(step, attempt, at);
  }

  @Override
  public List<StepAttempt> siblings() {
    return List.of();
  }

  @Override
  public void takeAlong(List<StepAttempt> siblings) {}
}
