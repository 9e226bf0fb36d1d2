package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * A durable function: ordinary code whose steps are recorded, so that it goes on where it was after
 * a crash, a restart or a deploy.
 *
 * <p>The body may be executed several times for one run. Everything that touches the world belongs
 * into {@linkplain WorkflowContext#step(String, Class, StepFn) steps}; the code between them must
 * reach the same steps when it runs again with the same results.
 *
 * <p>One instance serves all runs of a worker at the same time, so its fields must be final and
 * what they refer to thread-safe. The state of a run lives in local variables.
 *
 * @param <I> the input, read from the run's recorded bytes
 * @param <O> the output, recorded when the body returns
 */
@FunctionalInterface
public interface Workflow<I extends @Nullable Object, O extends @Nullable Object> {

  /**
   * Executes the workflow.
   *
   * @param ctx the run's context; valid on this thread and until this method returns
   * @param input what the run was started with, or {@code null} if it was started without an input
   * @return the run's result
   * @throws Exception whatever ends the run as failed
   */
  O run(WorkflowContext ctx, I input) throws Exception;
}
