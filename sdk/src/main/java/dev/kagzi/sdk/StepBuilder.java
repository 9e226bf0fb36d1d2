package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/**
 * A step that is being described; it begins with one of the {@code run} methods. Belongs to the
 * workflow's own thread and is not thread-safe.
 */
public interface StepBuilder {

  /**
   * Tells this step from others of the same name by a value of its own, such as an item's id: the
   * step is then known as {@code name[key]}, whatever the order in which the items come.
   *
   * @throws IllegalArgumentException if the key is empty or contains {@code #}, {@code [} or {@code
   *     ]}
   */
  StepBuilder key(String key);

  /**
   * Executes the step, or returns its recorded result.
   *
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T run(Class<T> type, StepFn<? extends T> fn);

  /**
   * Executes the step, or returns its recorded result; for generic types.
   *
   * @throws StepFailedException if the step has failed for good
   */
  <T extends @Nullable Object> T run(TypeRef<T> type, StepFn<? extends T> fn);

  /**
   * Executes the step, unless it is recorded as completed.
   *
   * @throws StepFailedException if the step has failed for good
   */
  void run(StepAction action);
}
