package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * The body of a saga that has a result.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface SagaFn<T extends @Nullable Object> {

  /**
   * Does the work.
   *
   * @param saga where to register how to undo it
   * @throws Exception whatever makes the saga undo what was done
   */
  T run(Saga saga) throws Exception;
}
