package dev.kagzi.sdk.internal;

import com.google.protobuf.ByteString;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run and its history as a file, for replays elsewhere. The form is described in docs/replay.md;
 * a form that cannot be read by older versions gets another number.
 *
 * @param run what was started and how it ended
 * @param items its steps, in call order
 */
record HistoryFile(WorkflowRun run, List<HistoryItem> items) {

  static final int FORMAT = 1;

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private static final String STATUS = "WORKFLOW_STATUS_";
  private static final String STEP_KIND = "STEP_KIND_";
  private static final String STEP_STATUS = "STEP_STATUS_";
  private static final String ERROR_KIND = "ERROR_KIND_";

  HistoryFile {
    items = List.copyOf(items);
  }

  String write() {
    ObjectNode file = MAPPER.createObjectNode();
    file.put("format", FORMAT);
    file.put("runId", run.getRunId());
    file.put("type", run.getWorkflowType());
    file.put("version", run.getVersion());
    write(file, "input", run.getInput());
    writeOutcome(file.putObject("outcome"));
    var history = file.putArray("history");
    items.forEach(item -> write(history.addObject(), item));
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(file);
  }

  private void writeOutcome(ObjectNode outcome) {
    outcome.put("status", run.getStatus().name().substring(STATUS.length()));
    if (run.hasFinishedAt()) {
      outcome.put("at", WireTimes.toInstant(run.getFinishedAt()).toString());
    }
    if (!run.getContinuedAsRunId().isEmpty()) {
      outcome.put("continuedAs", run.getContinuedAsRunId());
    }
    if (run.hasOutput()) {
      write(outcome, "output", run.getOutput());
    }
    if (run.hasError()) {
      write(outcome.putObject("error"), run.getError());
    }
    if (!run.getFailedStepKey().isEmpty()) {
      outcome.put("failedStep", run.getFailedStepKey());
    }
  }

  private static void write(ObjectNode step, HistoryItem item) {
    step.put("seq", item.getSeq());
    step.put("key", item.getStepKey());
    step.put("kind", inWords(item.getKind()));
    step.put("status", item.getStatus().name().substring(STEP_STATUS.length()));
    step.put("attempt", item.getAttempt());
    step.put("settled", item.getSettled());
    if (item.getTimedOut()) {
      step.put("timedOut", true);
    }
    if (!item.getChildRunId().isEmpty()) {
      step.put("childRunId", item.getChildRunId());
    }
    if (item.hasOutput()) {
      write(step, "output", item.getOutput());
    }
    if (item.hasError()) {
      write(step.putObject("error"), item.getError());
    }
  }

  /** A kind as the file names it. */
  static String inWords(StepKind kind) {
    return kind.name().substring(STEP_KIND.length());
  }

  /** As text where it is JSON, character by character, because replays compare results. */
  private static void write(ObjectNode parent, String name, Payload payload) {
    ObjectNode node = parent.putObject(name);
    if (payload.hasJson()) {
      node.put("json", payload.getJson());
    } else {
      node.put("base64", Base64.getEncoder().encodeToString(payload.getData().toByteArray()));
    }
    Map<String, String> metadata = payload.getMetadataMap();
    if (!metadata.isEmpty()
        && !metadata.equals(Map.of(JacksonCodec.CONTENT_TYPE, JacksonCodec.JSON))) {
      ObjectNode entries = node.putObject("metadata");
      metadata.forEach(entries::put);
    }
  }

  /** Without stack traces, which no replay needs. */
  private static void write(ObjectNode node, ErrorDetail error) {
    node.put("kind", error.getKind().name().substring(ERROR_KIND.length()));
    node.put("type", error.getType());
    var supertypes = node.putArray("supertypes");
    error.getTypeHierarchyList().forEach(supertypes::add);
    node.put("message", error.getMessage());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static HistoryFile read(String json) {
    JsonNode file;
    try {
      file = MAPPER.readTree(json);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "The history is no JSON: %s (expected: what exportHistory returned)"
              .formatted(e.getOriginalMessage()),
          e);
    }
    int format = file.path("format").asInt(0);
    if (format != FORMAT) {
      throw new IllegalArgumentException(
          "The history has format %d (expected: %d; export it again, or use the SDK that wrote it)"
              .formatted(format, FORMAT));
    }
    List<HistoryItem> items = new ArrayList<>();
    for (JsonNode step : file.path("history")) {
      items.add(readItem(step));
    }
    return new HistoryFile(readRun(file), items);
  }

  private static WorkflowRun readRun(JsonNode file) {
    JsonNode outcome = file.path("outcome");
    var run =
        WorkflowRun.newBuilder()
            .setRunId(text(file, "runId"))
            .setWorkflowType(text(file, "type"))
            .setVersion(text(file, "version"))
            .setInput(readPayload(file.path("input")))
            .setStatus(WorkflowStatus.valueOf(STATUS + text(outcome, "status")))
            .setContinuedAsRunId(text(outcome, "continuedAs"))
            .setFailedStepKey(text(outcome, "failedStep"));
    if (outcome.has("at")) {
      run.setFinishedAt(WireTimes.fromInstant(Instant.parse(text(outcome, "at"))));
    }
    if (outcome.has("output")) {
      run.setOutput(readPayload(outcome.path("output")));
    }
    if (outcome.has("error")) {
      run.setError(readError(outcome.path("error")));
    }
    return run.build();
  }

  private static HistoryItem readItem(JsonNode step) {
    var item =
        HistoryItem.newBuilder()
            .setSeq(step.path("seq").asInt(0))
            .setStepKey(text(step, "key"))
            .setKind(StepKind.valueOf(STEP_KIND + text(step, "kind")))
            .setStatus(StepStatus.valueOf(STEP_STATUS + text(step, "status")))
            .setAttempt(step.path("attempt").asInt(1))
            .setSettled(step.path("settled").asBoolean(false))
            .setTimedOut(step.path("timedOut").asBoolean(false))
            .setChildRunId(text(step, "childRunId"));
    if (step.has("output")) {
      item.setOutput(readPayload(step.path("output")));
    }
    if (step.has("error")) {
      item.setError(readError(step.path("error")));
    }
    return item.build();
  }

  private static Payload readPayload(JsonNode node) {
    var payload = Payload.newBuilder();
    if (node.has("json")) {
      payload.setJson(text(node, "json"));
    } else {
      payload.setData(ByteString.copyFrom(Base64.getDecoder().decode(text(node, "base64"))));
    }
    node.path("metadata")
        .properties()
        .forEach(entry -> payload.putMetadata(entry.getKey(), entry.getValue().asString("")));
    return payload.build();
  }

  private static ErrorDetail readError(JsonNode node) {
    var error =
        ErrorDetail.newBuilder()
            .setKind(ErrorKind.valueOf(ERROR_KIND + text(node, "kind")))
            .setType(text(node, "type"))
            .setMessage(text(node, "message"));
    node.path("supertypes").forEach(type -> error.addTypeHierarchy(type.asString("")));
    return error.build();
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asString("");
  }

  /** Whether two results are the same, however they are written. */
  static boolean areEqual(Payload one, Payload other) {
    if (!one.hasJson() || !other.hasJson()) {
      return WirePayloads.fromWire(one).equals(WirePayloads.fromWire(other));
    }
    try {
      return MAPPER.readTree(one.getJson()).equals(MAPPER.readTree(other.getJson()));
    } catch (JacksonException notJson) {
      return one.getJson().equals(other.getJson());
    }
  }
}
