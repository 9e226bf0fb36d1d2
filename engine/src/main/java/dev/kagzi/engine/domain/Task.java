package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run handed to a worker: the claim, the input and everything recorded so far. */
public record Task(Claim claim, Payload input, HistoryPage firstPage) {

  /**
   * The row as the claim left it.
   *
   * @param firstClaim nobody worked on the run before, so there is nothing to replay
   */
  public record Claim(
      RunId runId,
      int epoch,
      RunTarget target,
      WorkerId worker,
      Instant leaseUntil,
      @Nullable String externalId,
      RunPolicies policies,
      @Nullable Instant deadlineAt,
      int failures,
      Map<String, String> labels,
      @Nullable String traceparent,
      @Nullable RunId handlerFor,
      @Nullable RunId parent,
      @Nullable String parentStepKey,
      StartRequest.@Nullable Firing firing,
      @Nullable RunId continuedFrom,
      Instant createdAt,
      @Nullable StopRequest stop,
      boolean firstClaim) {}

  /** What a replay begins with; {@link #firstPage} tells whether there is more. */
  public List<RecordedStep> history() {
    return firstPage.steps();
  }

  /** Bytes it takes on the wire, near enough to keep a reply under its limit. */
  public int size() {
    int size = input.size() + 512;
    for (RecordedStep step : history()) {
      Payload output = step.output();
      Failure error = step.error();
      size += 128 + step.stepKey().length();
      size += output == null ? 0 : output.size();
      size += error == null ? 0 : error.size();
    }
    return size;
  }
}
