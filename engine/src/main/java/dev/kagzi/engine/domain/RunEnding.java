package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Duration;
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

  /**
   * Well, and another run goes on from here.
   *
   * @param version null for the same
   * @param taskQueue null for the same
   */
  record Continued(Payload input, @Nullable String version, @Nullable String taskQueue)
      implements RunEnding {
    @Override
    public RunStatus status() {
      return RunStatus.COMPLETED;
    }
  }

  /**
   * With an error, perhaps of a step.
   *
   * @param failedStepKey the step whose failure it is; such a failure is final, because the step
   *     has had its attempts
   * @param nonRetryable the code said that another attempt cannot help
   * @param retryAfter the code said when another attempt can help
   */
  record Failed(
      Failure error,
      @Nullable String failedStepKey,
      boolean nonRetryable,
      @Nullable Duration retryAfter)
      implements RunEnding {

    public Failed(Failure error, @Nullable String failedStepKey) {
      this(error, failedStepKey, false, null);
    }

    @Override
    public RunStatus status() {
      return RunStatus.FAILED;
    }
  }

  /** As it was asked to, after it has undone its work. */
  record Stopped(StopKind kind, Failure error) implements RunEnding {
    @Override
    public RunStatus status() {
      return kind.end();
    }
  }
}
