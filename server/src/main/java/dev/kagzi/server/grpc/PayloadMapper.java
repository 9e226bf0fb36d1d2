package dev.kagzi.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.kagzi.core.Payload;
import java.util.HashMap;
import java.util.Map;

/**
 * Payloads between the wire and the engine, which keeps bytes only. That a value came as JSON text
 * is noted as its content type, so that it leaves as JSON text again.
 */
final class PayloadMapper {

  private static final String CONTENT_TYPE = "content-type";
  private static final String JSON = "application/json";

  private PayloadMapper() {}

  static Payload fromWire(dev.kagzi.v1.Payload wire) {
    if (!wire.hasJson()) {
      return new Payload(wire.getData().toByteArray(), wire.getMetadataMap());
    }
    Map<String, String> metadata = new HashMap<>(wire.getMetadataMap());
    metadata.putIfAbsent(CONTENT_TYPE, JSON);
    return new Payload(wire.getJsonBytes().toByteArray(), metadata);
  }

  static dev.kagzi.v1.Payload toWire(Payload payload) {
    var wire = dev.kagzi.v1.Payload.newBuilder().putAllMetadata(payload.metadata());
    ByteString bytes = UnsafeByteOperations.unsafeWrap(payload.data());
    boolean json = JSON.equals(payload.metadata().get(CONTENT_TYPE)) && bytes.isValidUtf8();
    return json ? wire.setJsonBytes(bytes).build() : wire.setData(bytes).build();
  }

  /** How many bytes count against the limit. */
  static int size(dev.kagzi.v1.Payload wire) {
    return wire.hasJson() ? wire.getJsonBytes().size() : wire.getData().size();
  }
}
