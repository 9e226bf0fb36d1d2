package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.store.HandlerStore.FailedRun;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a failure handler gets as its input: the contract's WorkflowFailedEvent in the JSON form
 * that every protobuf library reads and writes.
 */
public final class FailedEvents {

  private static final String CONTENT_TYPE = "content-type";
  private static final String JSON = "application/json";
  private static final Map<String, String> METADATA = Map.of(CONTENT_TYPE, JSON);

  /** Says in the place of an input that would make the event too large how large it is. */
  private static final String OMITTED = "kagzi-omitted-bytes";

  private record Event(
      String failedRunId,
      String namespace,
      String workflowType,
      String taskQueue,
      @Nullable Detail error,
      @Nullable Value originalInput,
      int attempts,
      @Nullable Instant startedAt,
      Instant failedAt,
      String externalId,
      String version,
      String status,
      String failedStepKey) {}

  private record Detail(
      String kind,
      String type,
      List<String> typeHierarchy,
      String message,
      String stackTrace,
      @Nullable Detail cause) {}

  private record Value(
      @Nullable String json, @Nullable String data, Map<String, String> metadata) {}

  private FailedEvents() {}

  /** The event; without the run's input if that does not fit besides the rest. */
  public static Payload toPayload(FailedRun run) {
    byte[] whole = Json.write(event(run, value(run.input())));
    return new Payload(
        whole.length <= Payload.MAX_BYTES ? whole : Json.write(event(run, omitted(run.input()))),
        METADATA);
  }

  private static Event event(FailedRun run, @Nullable Value input) {
    Failure error = run.error();
    return new Event(
        run.runId().toString(),
        run.target().namespace(),
        run.target().workflowType(),
        run.target().taskQueue(),
        error == null ? null : detail(error),
        input,
        run.attempts(),
        run.startedAt(),
        run.failedAt(),
        orEmpty(run.externalId()),
        run.target().version(),
        "WORKFLOW_STATUS_" + run.status(),
        orEmpty(run.failedStepKey()));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Detail detail(Failure failure) {
    Failure cause = failure.cause();
    return new Detail(
        "ERROR_KIND_" + failure.kind(),
        failure.type(),
        failure.typeHierarchy(),
        failure.message(),
        failure.stackTrace(),
        cause == null ? null : detail(cause));
  }

  private static @Nullable Value value(@Nullable Payload input) {
    if (input == null) {
      return null;
    }
    return JSON.equals(input.metadata().get(CONTENT_TYPE))
        ? new Value(new String(input.data(), StandardCharsets.UTF_8), null, input.metadata())
        : new Value(null, Base64.getEncoder().encodeToString(input.data()), input.metadata());
  }

  private static @Nullable Value omitted(@Nullable Payload input) {
    return input == null
        ? null
        : new Value(null, null, Map.of(OMITTED, Integer.toString(input.size())));
  }
}
