package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StepAttempt;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * Facts that a run records rather than works out again: written once, on the workflow's own thread,
 * and read by every replay. They are plain JSON whatever the codec, because they are the engine's
 * and not the user's.
 *
 * <p>Belongs to the workflow's thread.
 */
final class Markers {

  /** What {@code ctx.now()} is recorded under. */
  static final StepKey NOW = StepKey.of("now");

  private static final Map<String, String> JSON =
      Map.of(JacksonCodec.CONTENT_TYPE, JacksonCodec.JSON);

  private final RunPass pass;
  private final ClaimedRun claim;

  Markers(RunPass pass) {
    this.pass = pass;
    this.claim = pass.claim();
  }

  /** The engine's time at the first execution. */
  Instant now(StepCall step) {
    HistoryItem recorded = step.recorded();
    if (recorded != null && recorded.getSettled()) {
      return read(recorded);
    }
    // What databases and most languages can keep, so that nobody sees two forms of one moment.
    Instant now = claim.clock().now().truncatedTo(ChronoUnit.MICROS);
    CompleteStepResponse response = write(step, "\"" + now + "\"");
    return response.hasRecorded() ? read(response.getRecorded()) : now;
  }

  /** That the run went the new way. */
  void patched(StepCall step) {
    if (!step.isSettled()) {
      write(step, "true");
    }
  }

  /** Opens or closes a saga. */
  void saga(StepCall step, SagaMarker bound, List<StepAttempt> cancelled) {
    if (!step.isSettled()) {
      pass.call(
          WorkerRpc.COMPLETE_STEP,
          claim
              .requests()
              .completeStep()
              .setStep(step.attempt(step.nextAttempt(), claim.clock().now()))
              .setSagaMarker(bound)
              .addAllCancelled(cancelled)
              .build(),
          step);
    }
  }

  private CompleteStepResponse write(StepCall step, String fact) {
    byte[] json = fact.getBytes(StandardCharsets.UTF_8);
    return pass.call(
        WorkerRpc.COMPLETE_STEP,
        claim
            .requests()
            .completeStep()
            .setStep(step.attempt(step.nextAttempt(), claim.clock().now()))
            .setOutput(WirePayloads.toWire(new Payload(json, JSON)))
            .build(),
        step);
  }

  private static Instant read(HistoryItem recorded) {
    String json =
        new String(WirePayloads.fromWire(recorded.getOutput()).data(), StandardCharsets.UTF_8);
    try {
      return Instant.parse(json.replace("\"", ""));
    } catch (DateTimeException e) {
      throw new PayloadException(
          "marker '%s': %s was recorded (expected: a moment)"
              .formatted(recorded.getStepKey(), json),
          e);
    }
  }
}
