package dev.kagzi.sdk.replay;

import dev.kagzi.sdk.KagziException;

/** The code does not do what a history says that it did. */
public final class DivergedException extends KagziException {

  private static final long serialVersionUID = 1;

  private final transient Divergence divergence;

  DivergedException(String type, Divergence divergence) {
    super(
        ("Workflow '%s' does not match the history: %s (expected: code that goes the way of the"
                + " runs that are alive; guard the change with ctx.patched or register it under"
                + " another version)")
            .formatted(type, divergence.message()));
    this.divergence = divergence;
  }

  /** What does not match. */
  public Divergence divergence() {
    return divergence;
  }
}
