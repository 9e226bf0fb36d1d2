package dev.kagzi.engine.store;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.Payload;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON columns. Their shapes are records of their own, because what lies in a database outlives
 * the names of classes and fields.
 */
final class Json {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final TypeReference<Map<String, String>> TEXT_MAP = new TypeReference<>() {};

  private record StoredFailure(
      String kind,
      String type,
      @Nullable List<String> hierarchy,
      String message,
      @Nullable String stack,
      @Nullable StoredFailure cause) {}

  private record StoredPolicy(
      int maximum_attempts,
      long initial_interval_ms,
      double backoff_coefficient,
      long maximum_interval_ms,
      @Nullable List<String> non_retryable_errors,
      double jitter) {}

  private Json() {}

  /** Null for an empty map: most rows have nothing to say. */
  static @Nullable String ofMap(Map<String, String> map) {
    return map.isEmpty() ? null : MAPPER.writeValueAsString(map);
  }

  static Map<String, String> toMap(@Nullable String json) {
    return json == null ? Map.of() : MAPPER.readValue(json, TEXT_MAP);
  }

  static @Nullable Payload toPayload(byte @Nullable [] data, @Nullable String metadata) {
    return data == null ? null : new Payload(data, toMap(metadata));
  }

  static @Nullable String ofFailure(@Nullable Failure failure) {
    return failure == null ? null : MAPPER.writeValueAsString(stored(failure));
  }

  private static StoredFailure stored(Failure failure) {
    Failure cause = failure.cause();
    return new StoredFailure(
        failure.kind().name(),
        failure.type(),
        failure.typeHierarchy(),
        failure.message(),
        failure.stackTrace(),
        cause == null ? null : stored(cause));
  }

  static @Nullable Failure toFailure(@Nullable String json) {
    return json == null ? null : failure(MAPPER.readValue(json, StoredFailure.class));
  }

  private static Failure failure(StoredFailure stored) {
    List<String> hierarchy = stored.hierarchy();
    String stack = stored.stack();
    StoredFailure cause = stored.cause();
    return new Failure(
        ErrorKind.valueOf(stored.kind()),
        stored.type(),
        hierarchy == null ? List.of() : hierarchy,
        stored.message(),
        stack == null ? "" : stack,
        cause == null ? null : failure(cause));
  }

  static @Nullable String ofPolicy(@Nullable RetryPolicy policy) {
    return policy == null
        ? null
        : MAPPER.writeValueAsString(
            new StoredPolicy(
                policy.maximumAttempts(),
                policy.initialInterval().toMillis(),
                policy.backoffCoefficient(),
                policy.maximumInterval().toMillis(),
                policy.nonRetryableErrors(),
                policy.jitter()));
  }

  static @Nullable RetryPolicy toPolicy(@Nullable String json) {
    if (json == null) {
      return null;
    }
    StoredPolicy stored = MAPPER.readValue(json, StoredPolicy.class);
    List<String> nonRetryable = stored.non_retryable_errors();
    return new RetryPolicy(
        stored.maximum_attempts(),
        Duration.ofMillis(stored.initial_interval_ms()),
        stored.backoff_coefficient(),
        Duration.ofMillis(stored.maximum_interval_ms()),
        nonRetryable == null ? List.of() : nonRetryable,
        stored.jitter());
  }
}
