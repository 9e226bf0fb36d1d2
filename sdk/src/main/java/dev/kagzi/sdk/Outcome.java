package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * What became of a branch.
 *
 * @param <T> the result of a branch that succeeded
 */
public sealed interface Outcome<T extends @Nullable Object> {

  /**
   * The branch has a result.
   *
   * @param value the result
   */
  record Succeeded<T extends @Nullable Object>(T value) implements Outcome<T> {}

  /**
   * The branch has failed for good.
   *
   * @param error how
   */
  record Failed<T extends @Nullable Object>(StepFailedException error) implements Outcome<T> {}
}
