package dev.kagzi.engine.domain;

/** How well something is, from the best to the worst. */
public enum Health {
  HEALTHY,
  /** Works, but somebody should look. */
  DEGRADED,
  UNHEALTHY;

  public Health worse(Health other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
