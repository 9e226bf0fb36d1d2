package dev.kagzi.sdk;

/**
 * The work of a step without a result. It is executed at least once, on a thread of its own, and
 * may be interrupted when the run has to leave the worker. The thread executes other steps later:
 * leave no thread-local values on it.
 */
@FunctionalInterface
public interface StepAction {

  /**
   * Does the work.
   *
   * @throws Exception whatever makes this attempt a failed one
   */
  void run() throws Exception;
}
