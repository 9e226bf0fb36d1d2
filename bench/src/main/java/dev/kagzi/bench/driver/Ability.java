package dev.kagzi.bench.driver;

/** What a contender may be asked to do beside starting workflows. */
public enum Ability {
  /** Starting a workflow and waiting for its result. */
  AWAIT,
  /** Going through recorded steps until the first new one. */
  REPLAY,
  /** Steps of one workflow beside each other. */
  PARALLEL_STEPS,
  /** Workflows that a workflow starts and waits for. */
  CHILDREN
}
