package dev.kagzi.sdk;

/**
 * The work of a step without a result. It is executed at least once, on the thread of its run or
 * one of its own, and may be interrupted when its time is over or the run has to leave the worker.
 * The thread does other things later: leave no thread-local values on it.
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
