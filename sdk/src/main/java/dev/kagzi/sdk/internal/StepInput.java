package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.v1.StepAttempt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a step was called with, as people will see it. It is only shown, so that it never fails a
 * step: what cannot be written, or is too large to be sent with the outcome, is left out.
 *
 * @param payload null if there is nothing to show
 */
record StepInput(@Nullable Payload payload) {

  private static final Logger LOG = LoggerFactory.getLogger(StepInput.class);

  static final StepInput NONE = new StepInput(null);

  /** Written before the step runs, because its work may change what it was given. */
  static StepInput of(PayloadCodec codec, String stepKey, @Nullable Object @Nullable [] arguments) {
    if (arguments == null || arguments.length == 0) {
      return NONE;
    }
    try {
      return new StepInput(codec.encode(arguments, Object[].class));
    } catch (RuntimeException e) {
      LOG.debug("Step {}: its arguments cannot be shown: {}", stepKey, e.getMessage());
      return NONE;
    }
  }

  /** Adds it to a report that holds so many bytes of an outcome. */
  StepAttempt writeTo(StepAttempt attempt, int outcomeBytes) {
    return payload == null || payload.size() > Payload.MAX_BYTES - outcomeBytes
        ? attempt
        : attempt.toBuilder().setInput(WirePayloads.toWire(payload)).build();
  }
}
