package dev.kagzi.sdk.internal;

/** The stable words in which servers say why they refuse, as far as the SDK acts on them. */
final class Reasons {

  static final String RUN_NOT_FOUND = "RUN_NOT_FOUND";
  static final String WORKER_NOT_FOUND = "WORKER_NOT_FOUND";
  static final String LEASE_LOST = "LEASE_LOST";
  static final String RUN_CANCELLED = "RUN_CANCELLED";
  static final String RUN_TERMINAL = "RUN_TERMINAL";
  static final String SAGA_OPEN = "SAGA_OPEN";

  private Reasons() {}
}
