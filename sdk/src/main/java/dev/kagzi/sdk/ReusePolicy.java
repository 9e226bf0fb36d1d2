package dev.kagzi.sdk;

/**
 * Whether an id that a caller gave to a run may be used again once that run has ended. While the
 * run lives, every start with its id finds it, whatever the policy.
 */
public enum ReusePolicy {
  /** A new run is started, however the last one ended. */
  ALLOW,
  /** A new run is started unless the last one completed. */
  ALLOW_IF_FAILED,
  /** No new run is started as long as the server remembers one with this id. */
  REJECT
}
