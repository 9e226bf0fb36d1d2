package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has done, for {@link Telemetry} to hear after the commit; a transaction that
 * fails drops it. Not thread-safe.
 */
public final class Tally {

  private final List<Consumer<Telemetry>> entries = new ArrayList<>();

  public void note(Consumer<Telemetry> entry) {
    entries.add(entry);
  }

  /** An attempt at a step has ended; only the author's own steps count. */
  public void noteAttempt(String workflowType, StepResult result, Instant now) {
    if (result.kind() == StepKind.FUNCTION) {
      Duration took = since(result.startedAt(), now);
      note(to -> to.attemptEnded(workflowType, result.stepKey(), StepStatus.COMPLETED, took));
    }
  }

  /** The same for one that has failed. */
  public void noteAttempt(
      String workflowType, StepFailure failure, @Nullable Instant retryAt, Instant now) {
    if (failure.kind() == StepKind.FUNCTION) {
      Duration took = since(failure.startedAt(), now);
      note(to -> to.attemptEnded(workflowType, failure.stepKey(), StepStatus.FAILED, took));
      if (retryAt != null) {
        note(to -> to.stepRetried(workflowType, failure.stepKey()));
      }
    }
  }

  /** A worker's clock may be ahead, and it need not say when it began. */
  private static Duration since(@Nullable Instant began, Instant now) {
    return began == null || began.isAfter(now) ? Duration.ZERO : Duration.between(began, now);
  }

  public void addAll(Tally other) {
    entries.addAll(other.entries);
  }

  public void tell(Telemetry telemetry) {
    entries.forEach(entry -> entry.accept(telemetry));
  }
}
