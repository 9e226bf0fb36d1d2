package dev.kagzi.sdk.client;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * What a run returned, not yet read as a type: for runs that were started by name. Immutable and
 * thread-safe.
 */
public final class WorkflowResult {

  private final PayloadCodec codec;
  private final @Nullable Payload payload;

  WorkflowResult(PayloadCodec codec, @Nullable Payload payload) {
    this.codec = codec;
    this.payload = payload;
  }

  /**
   * Reads the result; {@code null} where the run returned nothing.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if it cannot be read as this type
   */
  public <T extends @Nullable Object> T as(Class<T> type) {
    return read(type);
  }

  /**
   * Reads a generic result; {@code null} where the run returned nothing.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if it cannot be read as this type
   */
  public <T extends @Nullable Object> T as(TypeRef<T> type) {
    return read(type.type());
  }

  /** Whether the run returned nothing at all. */
  public boolean isEmpty() {
    return payload == null;
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"})
  <T extends @Nullable Object> T read(Type type) {
    return payload == null ? null : (T) codec.decode(payload, type);
  }
}
