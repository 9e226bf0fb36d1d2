package dev.kagzi.sdk.payload;

import dev.kagzi.core.Payload;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Turns values into bytes and back. What a codec has written, every later version of it must be
 * able to read, because runs outlive deploys; the metadata it notes in a payload comes back with
 * it. Implementations must be thread-safe.
 */
public interface PayloadCodec {

  /**
   * Writes a value.
   *
   * @param value the value, or {@code null} as a value of its own
   * @param type what it will be read as
   * @throws PayloadException if the value cannot be written
   */
  Payload encode(@Nullable Object value, Type type);

  /**
   * Reads a value.
   *
   * @param payload what {@link #encode} or another client has written
   * @param type what to read
   * @throws PayloadException if the bytes cannot be read as this type
   */
  @Nullable Object decode(Payload payload, Type type);
}
