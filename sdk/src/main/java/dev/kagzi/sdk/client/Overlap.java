package dev.kagzi.sdk.client;

/** What happens to a tick of a schedule while a run of it is still live. */
public enum Overlap {
  /** The runs go on beside each other. */
  ALLOW,
  /** The tick starts nothing and is recorded as skipped. */
  SKIP,
  /** The live runs are cancelled and the tick starts a new one. */
  CANCEL_OTHER
}
