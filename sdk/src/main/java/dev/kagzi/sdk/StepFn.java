package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * The work of a step that has a result. It is executed at least once, on the thread of its run or
 * one of its own, and may be interrupted when its time is over or the run has to leave the worker.
 * The thread does other things later: leave no thread-local values on it.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface StepFn<T extends @Nullable Object> {

  /**
   * Does the work.
   *
   * @throws Exception whatever makes this attempt a failed one
   */
  T run() throws Exception;
}
