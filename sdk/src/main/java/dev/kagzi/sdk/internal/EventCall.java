package dev.kagzi.sdk.internal;

import dev.kagzi.core.Names;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.v1.Event;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that is being sent.
 *
 * @param event the event as it travels
 */
public record EventCall(Event event) {

  /** An event with a key of its own, so that its repetitions on the wire are known. */
  public static <T> EventCall of(EventType<T> type, T payload, PayloadCodec codec) {
    return of(type, payload, codec, UUID.randomUUID().toString());
  }

  /** An event with the sender's own key. */
  public static <T> EventCall of(
      EventType<T> type, @Nullable T payload, PayloadCodec codec, String idempotencyKey) {
    if (payload == null) {
      throw new IllegalArgumentException(
          "event '%s': the payload is null (expected: a value; send true if there is nothing to say)"
              .formatted(type.name()));
    }
    Payload bytes = codec.encode(payload, type.type().type());
    return new EventCall(
        Event.newBuilder()
            .setName(type.name())
            .setPayload(
                WirePayloads.toWire(
                    WirePayloads.checked("event '%s'".formatted(type.name()), bytes)))
            .setIdempotencyKey(Names.check("idempotency key", idempotencyKey))
            .build());
  }
}
