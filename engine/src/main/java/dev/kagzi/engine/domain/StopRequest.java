package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;

/** A request that a run inside a saga undo its work and end. */
public record StopRequest(StopKind kind, String reason, Instant requestedAt) {

  /** How long compensations may take before the run is ended without them. */
  public static final Duration PATIENCE = Duration.ofMinutes(10);

  public Instant compensateUntil() {
    return requestedAt.plus(PATIENCE);
  }
}
