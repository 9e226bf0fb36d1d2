package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import org.jspecify.annotations.Nullable;

/** What somebody hears who shows a fence that does not hold. */
final class Fences {

  private Fences() {}

  static String refusal(@Nullable ModelRun run) {
    if (run == null) {
      return "refused RUN_NOT_FOUND";
    }
    if (run.isLive()) {
      return "refused LEASE_LOST";
    }
    return run.status == RunStatus.CANCELLED ? "refused RUN_CANCELLED" : "refused RUN_TERMINAL";
  }
}
