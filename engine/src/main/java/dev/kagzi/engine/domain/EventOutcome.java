package dev.kagzi.engine.domain;

/** What became of an event; either way the run has it. */
public enum EventOutcome {
  /** It is kept, or has ended a wait. */
  DELIVERED,
  /** One with its idempotency key was there before. */
  ALREADY_DELIVERED
}
