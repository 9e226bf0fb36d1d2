package dev.kagzi.sdk;

/**
 * What a saga undoes when it cannot be finished. Belongs to the workflow's own thread and is not
 * thread-safe.
 */
public interface Saga {

  /**
   * Registers how to undo something, <em>before</em> it is done: an action that failed or was cut
   * off may have had its effect nevertheless, so the undoing must be harmless if there is nothing
   * to undo. Writes nothing by itself.
   *
   * @param name what is undone; the step is known as {@code compensate:name}
   * @param action undoes it; executed as a step, with the retry policy of the run
   */
  void onFailure(String name, StepAction action);

  /**
   * Registers how to undo something, with a retry policy of its own.
   *
   * @param name what is undone; the step is known as {@code compensate:name}
   * @param retry how often and how patiently the undoing is tried
   * @param action undoes it; executed as a step
   */
  void onFailure(String name, Retry retry, StepAction action);
}
