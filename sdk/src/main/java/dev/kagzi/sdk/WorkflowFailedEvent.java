package dev.kagzi.sdk;

import dev.kagzi.core.Payload;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The input of a failure handler: a workflow that is started when a run has failed or timed out.
 * Immutable and thread-safe.
 *
 * @param failedRunId the run that failed
 * @param namespace its namespace
 * @param workflowType its workflow
 * @param taskQueue its queue
 * @param error what ended it
 * @param originalInput what it was started with, not yet read; see {@link #originalInput(Class)}
 * @param attempts how often it was attempted as a whole
 * @param startedAt when it was executed first; nothing if it never was
 * @param failedAt when it ended
 * @param externalId the id that its starter gave it, or empty
 * @param version the version of its workflow, or empty
 * @param status how it ended: failed or timed out
 * @param failedStepKey the step that ended it, or empty
 */
public record WorkflowFailedEvent(
    String failedRunId,
    String namespace,
    String workflowType,
    String taskQueue,
    ErrorReport error,
    @Nullable OriginalInput originalInput,
    int attempts,
    @Nullable Instant startedAt,
    Instant failedAt,
    String externalId,
    String version,
    RunStatus status,
    String failedStepKey) {

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private static final ErrorReport NO_ERROR =
      new ErrorReport(ErrorKind.UNKNOWN, "", List.of(), "", "", null);

  /**
   * A value of the run as the engine keeps it.
   *
   * @param json the value as JSON text, if it is JSON
   * @param data the value as bytes in Base64, if it is not
   * @param metadata what a codec noted about it
   */
  public record OriginalInput(
      @Nullable String json, @Nullable String data, Map<String, String> metadata) {

    /** Reads as empty what a sender left out. */
    @SuppressWarnings("ConstantConditions")
    public OriginalInput {
      metadata = metadata == null ? Map.of() : Map.copyOf(metadata);
    }

    /**
     * The value as its codec wrote it, for codecs other than the standard one.
     *
     * @throws NonRetryableException if the value was too large to be part of the event
     */
    public Payload payload() {
      if (json != null) {
        Map<String, String> known = new HashMap<>(metadata);
        known.putIfAbsent("content-type", "application/json");
        return new Payload(json.getBytes(StandardCharsets.UTF_8), known);
      }
      if (data == null) {
        throw new NonRetryableException(
            "the input of the failed run is not in the event, it was too large: " + metadata);
      }
      return new Payload(Base64.getDecoder().decode(data), metadata);
    }
  }

  /** Reads as empty what a sender left out. */
  @SuppressWarnings("ConstantConditions")
  public WorkflowFailedEvent {
    failedRunId = orEmpty(failedRunId);
    namespace = orEmpty(namespace);
    workflowType = orEmpty(workflowType);
    taskQueue = orEmpty(taskQueue);
    error = error == null ? NO_ERROR : error;
    externalId = orEmpty(externalId);
    version = orEmpty(version);
    status = status == null ? RunStatus.FAILED : status;
    failedStepKey = orEmpty(failedStepKey);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /**
   * What the failed run was started with, read as JSON; {@code null} if it was started without an
   * input.
   *
   * @throws NonRetryableException if it cannot be read as this type
   */
  public <T extends @Nullable Object> T originalInput(Class<T> type) {
    return read(type);
  }

  /**
   * What the failed run was started with, if that was something generic.
   *
   * @throws NonRetryableException if it cannot be read as this type
   */
  public <T extends @Nullable Object> T originalInput(TypeRef<T> type) {
    return read(type.type());
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"})
  private <T extends @Nullable Object> T read(Type type) {
    if (originalInput == null) {
      return null;
    }
    try {
      return (T)
          JSON.readerFor(JSON.getTypeFactory().constructType(type))
              .readValue(originalInput.payload().data());
    } catch (JacksonException e) {
      throw new NonRetryableException(
          "the input of run %s does not read as %s: %s"
              .formatted(failedRunId, type.getTypeName(), e.getOriginalMessage()),
          e);
    }
  }
}
