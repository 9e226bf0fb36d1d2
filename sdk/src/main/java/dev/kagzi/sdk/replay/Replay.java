package dev.kagzi.sdk.replay;

import java.util.Optional;

/**
 * What came of a replay. Immutable.
 *
 * @param divergence the first thing that does not match; empty if all does
 */
public record Replay(Optional<Divergence> divergence) {

  /** Whether the code does what is recorded. */
  public boolean matches() {
    return divergence.isEmpty();
  }
}
