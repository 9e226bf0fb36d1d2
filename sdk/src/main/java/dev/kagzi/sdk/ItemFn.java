package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * The work of a step for one item of many. It is executed at least once per item, on a thread of
 * its own, and may be interrupted when the run has to leave the worker. The thread executes other
 * steps later: leave no thread-local values on it.
 *
 * @param <I> the item
 * @param <T> the result
 */
@FunctionalInterface
public interface ItemFn<I extends @Nullable Object, T extends @Nullable Object> {

  /**
   * Does the work for an item.
   *
   * @throws Exception whatever makes this attempt a failed one
   */
  T run(I item) throws Exception;
}
