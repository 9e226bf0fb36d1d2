package dev.kagzi.engine.domain;

/** Why the engine refused something: whose fault it is and whether asking again can help. */
public enum ErrorCode {
  /** The caller's values are wrong. */
  INVALID_ARGUMENT,
  /**
   * A client-minted request id is too far from the engine's time; the message carries that time.
   */
  REQUEST_ID_OUT_OF_RANGE,
  /** No such run in this namespace. */
  RUN_NOT_FOUND,
  /** No such step, or no such attempt of it, in the run. */
  STEP_NOT_FOUND,
  /** No such worker, or it is offline: register again. */
  WORKER_NOT_FOUND,
  /** No such namespace. */
  NAMESPACE_NOT_FOUND,
  /** The namespace takes no work now. */
  NAMESPACE_DISABLED,
  /** There is a namespace of that name with other settings. */
  NAMESPACE_EXISTS,
  /** Somebody else holds the run, or nobody: drop the result. */
  LEASE_LOST,
  /** The run was cancelled: stop. */
  RUN_CANCELLED,
  /** The run has ended otherwise: stop. */
  RUN_TERMINAL,
  /** The run is inside a saga: close it first, its work done or undone. */
  SAGA_OPEN,
  /** The run is live, and what was asked for needs one that has ended. */
  NOT_TERMINAL,
  /** Nobody has ever registered the workflow type. */
  UNKNOWN_TYPE,
  /** A live run has the external id that is asked for. */
  ALREADY_ACTIVE,
  /** The run has undone its work: it cannot go on, only be forked. */
  COMPENSATED,
  /** The run was sent back since the caller looked at it: look again. */
  RETRIED_BEFORE,
  /** No such workflow type in this namespace: no worker has ever registered it. */
  WORKFLOW_TYPE_NOT_FOUND,
  /** The default version is not the one the caller saw: look again. */
  DEFAULT_VERSION_CHANGED,
  /** No such batch in this namespace. */
  BATCH_NOT_FOUND,
  /** The run keeps as many events as it may: let it consume some first. */
  TOO_MANY_EVENTS,
  /** The run has used as many names for its state as it may. */
  TOO_MANY_STATES,
  /** The run's history is as long as it may be: let it continue as a new run. */
  TOO_MANY_STEPS,
  /** No such schedule in this namespace. */
  SCHEDULE_NOT_FOUND,
  /** Another schedule has this name. */
  SCHEDULE_EXISTS,
  /** A cron expression or time zone cannot be read, or has no time left. */
  BAD_CRON,
  /** More is waiting than the engine accepts: slow down. */
  OVERLOADED,
  /** The database cannot be reached or is shutting down: ask again. */
  DATABASE_UNAVAILABLE,
  /** The database's disk is full. */
  DATABASE_FULL,
  /** The database did not finish a statement in its time: ask again later, or for less. */
  DATABASE_TOO_SLOW,
  /** The engine is shutting down: ask another server. */
  SHUTTING_DOWN
}
