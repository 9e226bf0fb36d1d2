package dev.kagzi.sdk.payload;

import dev.kagzi.core.Payload;
import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values as plain JSON, readable in the dashboard, from SQL and from other languages. Unknown
 * properties are ignored when reading, so that a field may be removed while runs are alive.
 * Thread-safe.
 */
public final class JacksonCodec implements PayloadCodec {

  /** The metadata key that names the form of the bytes. */
  public static final String CONTENT_TYPE = "content-type";

  /** The form of the bytes that this codec writes. */
  public static final String JSON = "application/json";

  private static final Map<String, String> METADATA = Map.of(CONTENT_TYPE, JSON);

  private final ObjectMapper mapper;

  /** Jackson as it comes: records, {@code java.time} and {@code Optional} work. */
  public JacksonCodec() {
    this(JsonMapper.builder().build());
  }

  /** Jackson as the application has configured it. */
  public JacksonCodec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public Payload encode(@Nullable Object value, Type type) {
    try {
      return new Payload(mapper.writerFor(javaType(type)).writeValueAsBytes(value), METADATA);
    } catch (JacksonException e) {
      throw new PayloadException(
          "value does not write as %s: %s".formatted(type.getTypeName(), e.getOriginalMessage()),
          e);
    }
  }

  @Override
  public @Nullable Object decode(Payload payload, Type type) {
    String form = payload.metadata().getOrDefault(CONTENT_TYPE, JSON);
    if (!isJson(form)) {
      throw new PayloadException(
          "payload has content type %s (expected: %s)".formatted(form, JSON), null);
    }
    try {
      return mapper.readerFor(javaType(type)).readValue(payload.data());
    } catch (JacksonException e) {
      throw new PayloadException(
          "value does not read as %s: %s".formatted(type.getTypeName(), e.getOriginalMessage()), e);
    }
  }

  private static boolean isJson(String contentType) {
    return contentType.equals(JSON) || contentType.startsWith(JSON + ";");
  }

  private JavaType javaType(Type type) {
    return mapper.getTypeFactory().constructType(type);
  }
}
