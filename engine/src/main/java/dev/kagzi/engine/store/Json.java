package dev.kagzi.engine.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.Payload;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.core.RetryPredicate;
import dev.kagzi.engine.domain.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON columns. Their shapes are records of their own, because what lies in a database outlives
 * the names of classes and fields.
 */
final class Json {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final JsonMapper COMPACT =
      JsonMapper.builder()
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();
  private static final TypeReference<Map<String, String>> TEXT_MAP = new TypeReference<>() {};

  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

  private record StoredFailure(
      String kind,
      String type,
      @Nullable List<String> hierarchy,
      String message,
      @Nullable String stack,
      @Nullable StoredFailure cause) {}

  private record StoredPolicy(
      @Nullable Integer maximum_attempts,
      @Nullable Long initial_interval_ms,
      @Nullable Double backoff_coefficient,
      @Nullable Long maximum_interval_ms,
      @Nullable List<String> non_retryable_errors,
      @Nullable Double jitter,
      @Nullable String predicate,
      @Nullable List<String> error_kinds) {}

  private Json() {}

  /** What others read; absent rather than null. */
  static byte[] write(Object value) {
    return COMPACT.writeValueAsBytes(value);
  }

  /** Null for an empty map: most rows have nothing to say. */
  static @Nullable String ofMap(Map<String, String> map) {
    return map.isEmpty() ? null : MAPPER.writeValueAsString(map);
  }

  static Map<String, String> toMap(@Nullable String json) {
    return json == null ? Map.of() : MAPPER.readValue(json, TEXT_MAP);
  }

  /** An array of texts that the database has written as JSON. */
  static List<String> toTexts(String json) {
    return MAPPER.readValue(json, TEXTS);
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
        : ofPartial(
            new PartialRetryPolicy(
                policy.maximumAttempts(),
                policy.initialInterval(),
                policy.backoffCoefficient(),
                policy.maximumInterval(),
                policy.nonRetryableErrors(),
                policy.jitter(),
                policy.predicate(),
                policy.errorKinds()));
  }

  static @Nullable String ofPartial(@Nullable PartialRetryPolicy policy) {
    if (policy == null) {
      return null;
    }
    RetryPredicate predicate = policy.predicate();
    return MAPPER.writeValueAsString(
        new StoredPolicy(
            policy.maximumAttempts(),
            millis(policy.initialInterval()),
            policy.backoffCoefficient(),
            millis(policy.maximumInterval()),
            policy.nonRetryableErrors(),
            policy.jitter(),
            predicate == null ? null : predicate.name(),
            policy.errorKinds().stream().map(ErrorKind::name).sorted().toList()));
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }

  /** A policy that was complete when it was stored. */
  static @Nullable RetryPolicy toPolicy(@Nullable String json) {
    PartialRetryPolicy stored = toPartial(json);
    return stored == null ? null : stored.over(RetryPolicy.DEFAULT);
  }

  static @Nullable PartialRetryPolicy toPartial(@Nullable String json) {
    if (json == null) {
      return null;
    }
    StoredPolicy stored = MAPPER.readValue(json, StoredPolicy.class);
    List<String> nonRetryable = stored.non_retryable_errors();
    List<String> kinds = stored.error_kinds();
    String predicate = stored.predicate();
    return new PartialRetryPolicy(
        stored.maximum_attempts(),
        duration(stored.initial_interval_ms()),
        stored.backoff_coefficient(),
        duration(stored.maximum_interval_ms()),
        nonRetryable == null ? List.of() : nonRetryable,
        stored.jitter(),
        predicate == null ? null : RetryPredicate.valueOf(predicate),
        kinds == null
            ? Set.of()
            : kinds.stream().map(ErrorKind::valueOf).collect(Collectors.toSet()));
  }

  private static @Nullable Duration duration(@Nullable Long millis) {
    return millis == null ? null : Duration.ofMillis(millis);
  }
}
