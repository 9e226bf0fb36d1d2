package dev.kagzi.engine.domain;

import java.time.Duration;

/**
 * Hears what the engine has done, for whoever counts it. Told after the commit that made it true,
 * by threads that others wait for: must neither block nor throw. Of what was refused or rolled back
 * nothing is heard.
 */
public interface Telemetry {

  /** Nobody counts. */
  Telemetry NONE = new Telemetry() {};

  /**
   * A run exists: started by a client, a parent, a schedule, a failure, a fork or the run before
   * it.
   */
  default void runStarted(RunTarget run) {}

  /**
   * A run has ended.
   *
   * @param took since it was created
   */
  default void runFinished(RunTarget run, RunStatus status, Duration took) {}

  /**
   * A run was handed to a worker.
   *
   * @param waited since it could have been
   */
  default void claimed(QueueKey queue, Duration waited) {}

  /** The database was asked for work, and had some or had none. */
  default void askedForWork(boolean found, Duration took) {}

  /** A run went to a worker together with the history that it has to replay. */
  default void replayed(String workflowType, int steps) {}

  /**
   * An attempt at a step of the author's has ended.
   *
   * @param status COMPLETED or FAILED
   */
  default void attemptEnded(
      String workflowType, String stepKey, StepStatus status, Duration took) {}

  /** Another attempt follows on one that has failed. */
  default void stepRetried(String workflowType, String stepKey) {}

  /** A run was taken back from a worker that is gone or has not kept its lease. */
  default void leaseExpired(QueueKey queue) {}

  /** News of another server has arrived. */
  default void newsReceived() {}

  /** Work was found by looking for it that news should have announced. */
  default void newsMissed() {}
}
