package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * A branch of a run: a step or a timer that goes on beside the workflow's own code. Every branch is
 * exactly one durable operation. Wait for each of them with {@link #get}, {@link
 * WorkflowContext#all}, {@link WorkflowContext#settle} or {@link WorkflowContext#race}; a workflow
 * that returns waits for those it has forgotten, and fails if one of them has failed.
 *
 * <p>Belongs to the thread of the workflow that made it and to no other run.
 *
 * @param <T> the result
 */
public interface StepFuture<T extends @Nullable Object> {

  /** The key of the step, such as {@code print-label[A]}. */
  String step();

  /**
   * Waits for the branch and returns its result. When nothing of the run executes any more, the run
   * leaves the worker until it is time to go on.
   *
   * @throws StepFailedException if the step has failed for good, or was cancelled because of
   *     another branch; its kind is {@link ErrorKind#CANCELLED} then
   */
  T get();

  /**
   * Whether the branch is over, well or not. The answer may be another one in the next replay: do
   * not decide by it what the workflow does, use {@link WorkflowContext#race} for that.
   */
  boolean isDone();
}
