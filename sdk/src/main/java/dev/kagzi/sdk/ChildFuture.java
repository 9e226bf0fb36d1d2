package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * A child that was started, as a branch of its parent. Belongs to the thread of the workflow that
 * made it and to no other run.
 *
 * @param <O> the child's result
 */
public interface ChildFuture<O extends @Nullable Object> extends StepFuture<O> {

  /**
   * The id of the child. When this returns the child is stored and will be executed.
   *
   * @throws StepFailedException if there is no child, because a live run has its id
   * @throws RequestRefusedException if the server refuses to start it, such as for a type that
   *     nobody has ever registered
   */
  String runId();
}
