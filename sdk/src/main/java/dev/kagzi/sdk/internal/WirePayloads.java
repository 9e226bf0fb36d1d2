package dev.kagzi.sdk.internal;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadException;
import java.util.HashMap;
import java.util.Map;

/**
 * Payloads between the codec and the wire. JSON travels as text, so that it is readable for whoever
 * looks at it on the way; everything else travels as bytes.
 */
final class WirePayloads {

  private WirePayloads() {}

  static dev.kagzi.v1.Payload toWire(Payload payload) {
    var wire = dev.kagzi.v1.Payload.newBuilder().putAllMetadata(payload.metadata());
    ByteString bytes = UnsafeByteOperations.unsafeWrap(payload.data());
    boolean json = JacksonCodec.JSON.equals(payload.metadata().get(JacksonCodec.CONTENT_TYPE));
    if (json && bytes.isValidUtf8()) {
      return wire.setJsonBytes(bytes).build();
    }
    return wire.setData(bytes).build();
  }

  static Payload fromWire(dev.kagzi.v1.Payload wire) {
    if (!wire.hasJson()) {
      return new Payload(wire.getData().toByteArray(), wire.getMetadataMap());
    }
    Map<String, String> metadata = new HashMap<>(wire.getMetadataMap());
    metadata.putIfAbsent(JacksonCodec.CONTENT_TYPE, JacksonCodec.JSON);
    return new Payload(wire.getJsonBytes().toByteArray(), metadata);
  }

  /** Refuses what no server would take, before it is sent. */
  static Payload checked(String what, Payload payload) {
    if (payload.size() > Payload.MAX_BYTES) {
      throw new PayloadException(
          "%s has %d bytes (expected: at most %d; keep large values elsewhere and pass a reference)"
              .formatted(what, payload.size(), Payload.MAX_BYTES),
          null);
    }
    return payload;
  }

  /** Whether a payload stands for no value at all, rather than for an empty one. */
  static boolean isAbsent(Payload payload) {
    return payload.size() == 0 && payload.metadata().isEmpty();
  }
}
