package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a run is sent. Belongs to the workflow's thread. */
final class Events {

  private final RunPass pass;
  private final Branches branches;
  private final Parallel parallel;
  private final NewsWaits waits;
  private final PayloadCodec codec;

  Events(RunPass pass, Branches branches, Parallel parallel, NewsWaits waits, PayloadCodec codec) {
    this.pass = pass;
    this.branches = branches;
    this.parallel = parallel;
    this.waits = waits;
    this.codec = codec;
  }

  /** Waits for an event; empty when the time was over first. */
  <T> Optional<T> waitFor(EventType<T> event, @Nullable Duration timeout) {
    StepCall step = pass.ask(StepKind.STEP_KIND_EVENT, StepKey.of(event.name()));
    return read(waits.await(step, wait(step, event, timeout)), event);
  }

  /** Begins to wait for an event beside the workflow's own code. */
  <T> StepFuture<Optional<T>> begin(EventType<T> event, @Nullable Duration timeout) {
    StepCall step = parallel.ask(StepKind.STEP_KIND_EVENT, StepKey.of(event.name()));
    Wait wait = wait(step, event, timeout);
    Branch branch =
        branches.create(step, wait.getStep(), driven -> read(waits.await(driven, wait), event));
    parallel.begin(List.of(branch));
    return new RunFuture<>(branches, branch);
  }

  private Wait wait(StepCall step, EventType<?> event, @Nullable Duration timeout) {
    var wait =
        Wait.newBuilder()
            .setStep(step.attempt(NewsWaits.attempt(step), pass.claim().clock().now()))
            .setKind(WaitKind.WAIT_KIND_EVENT)
            .setEventName(event.name());
    if (timeout != null) {
      wait.setDuration(WireTimes.fromDuration(timeout));
    }
    return wait.build();
  }

  /**
   * The step stays as it is recorded, with the event's own bytes, whatever they can be read as: so
   * an event of another type fails the same way each time, and is not lost.
   */
  private <T> Optional<T> read(HistoryItem settled, EventType<T> event) {
    if (settled.getTimedOut()) {
      return Optional.empty();
    }
    Payload payload = WirePayloads.fromWire(settled.getOutput());
    try {
      @SuppressWarnings("unchecked") // The codec reads it as this type or throws.
      T value =
          WirePayloads.isAbsent(payload) ? null : (T) codec.decode(payload, event.type().type());
      if (value == null) {
        throw unusable(settled, event, "it carries no value");
      }
      return Optional.of(value);
    } catch (PayloadException e) {
      throw unusable(settled, event, String.valueOf(e.getMessage()));
    }
  }

  private StepFailedException unusable(HistoryItem settled, EventType<?> event, String why) {
    String message =
        ("Run %s: step '%s' was sent an event '%s' that cannot be read as %s: %s (expected: the"
                + " sender and the workflow use the same EventType; catch this to go on, or correct"
                + " the type and retry the run, which then gets the event again)")
            .formatted(pass.claim().runId(), settled.getStepKey(), event.name(), event.type(), why);
    pass.noteFailure(
        settled.getStepKey(),
        ErrorDetail.newBuilder()
            .setKind(ErrorKinds.toWire(ErrorKind.VALIDATION_ERROR))
            .setType(PayloadException.class.getName())
            .setMessage(message)
            .setNonRetryable(true)
            .build());
    return new StepFailedException(
        settled.getStepKey(),
        1,
        ErrorKind.VALIDATION_ERROR,
        PayloadException.class.getName(),
        List.of(),
        message);
  }
}
