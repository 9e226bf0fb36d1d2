package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run shows to clients. A replay does not show again what it passes by; and since each
 * publication carries its place in the run, an older value never takes the place of a newer one.
 * Belongs to the workflow's thread.
 */
final class PublishedStates {

  /** The name that a value has if none is given. */
  static final String DEFAULT_NAME = "state";

  /** How many publications there may be between two steps, so that places stay in order. */
  private static final int PLACES_PER_STEP = 1 << 20;

  private final RunPass pass;
  private final PayloadCodec codec;
  private final Map<String, Payload> shown = new HashMap<>();
  private int step;
  private int calls;

  PublishedStates(RunPass pass, PayloadCodec codec) {
    this.pass = pass;
    this.codec = codec;
  }

  /** Shows a value, or nothing any more. */
  void set(String name, @Nullable Object value) {
    StepKey.of(name);
    pass.requireWorkflowThread();
    long sequence = nextPlace();
    pass.requireOpen();
    if (pass.isToStop()) {
      // It may have been further, and what is to be undone may be registered behind this.
      return;
    }
    if (pass.isReplaying()) {
      return;
    }
    var request = pass.claim().requests().publishState().setName(name).setSequence(sequence);
    if (value != null) {
      Payload bytes =
          WirePayloads.checked("state '%s'".formatted(name), codec.encode(value, value.getClass()));
      if (isShown(name, bytes)) {
        return;
      }
      shown.put(name, bytes);
      request.setValue(WirePayloads.toWire(bytes));
    } else {
      shown.remove(name);
    }
    try {
      pass.call(WorkerRpc.PUBLISH_STATE, request.build());
    } catch (CallFailedException refusal) {
      throw new RequestRefusedException(
          refusal.reason(),
          "Run %s: state '%s': %s".formatted(pass.claim().runId(), name, refusal.getMessage()),
          refusal);
    }
  }

  private long nextPlace() {
    calls = pass.place() == step ? calls + 1 : 1;
    step = pass.place();
    return (long) step * PLACES_PER_STEP + Math.min(calls, PLACES_PER_STEP - 1);
  }

  private boolean isShown(String name, Payload bytes) {
    Payload last = shown.get(name);
    return last != null && Arrays.equals(last.data(), bytes.data());
  }
}
