package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/** How a worker says a run ended. */
public sealed interface RunEnding {

  RunStatus status();

  /** With an output. */
  record Completed(Payload output) implements RunEnding {
    @Override
    public RunStatus status() {
      return RunStatus.COMPLETED;
    }
  }

  /** With an error, perhaps of a step. */
  record Failed(Failure error, @Nullable String failedStepKey) implements RunEnding {
    @Override
    public RunStatus status() {
      return RunStatus.FAILED;
    }
  }
}
