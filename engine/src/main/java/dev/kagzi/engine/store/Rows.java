package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Row;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How the columns that several statements share are read and written. */
final class Rows {

  private Rows() {}

  static RunTarget target(Row row) {
    return new RunTarget(
        row.text("namespace_id"),
        row.text("task_queue"),
        row.text("workflow_type"),
        row.text("version"));
  }

  static @Nullable WorkerId workerOrNull(Row row, String column) {
    UUID value = row.uuidOrNull(column);
    return value == null ? null : new WorkerId(value);
  }

  static @Nullable RunId runOrNull(Row row, String column) {
    UUID value = row.uuidOrNull(column);
    return value == null ? null : new RunId(value);
  }

  static @Nullable UUID idOrNull(@Nullable RunId runId) {
    return runId == null ? null : runId.value();
  }

  static byte @Nullable [] dataOrNull(@Nullable Payload payload) {
    return payload == null ? null : payload.data();
  }

  static @Nullable String metadataOrNull(@Nullable Payload payload) {
    return payload == null ? null : Json.ofMap(payload.metadata());
  }

  /** Needs the three columns of a stop. */
  static @Nullable StopRequest stopOrNull(Row row) {
    String kind = row.textOrNull("stop_requested");
    if (kind == null) {
      return null;
    }
    String reason = row.textOrNull("stop_reason");
    return new StopRequest(
        StopKind.valueOf(kind), reason == null ? "" : reason, row.instant("stop_requested_at"));
  }

  /** Needs the interval columns as milliseconds, named with the ending _ms. */
  static RunPolicies policies(Row row) {
    return new RunPolicies(
        Json.toPartial(row.textOrNull("retry_policy")),
        millisOrNull(row, "step_timeout_ms"),
        millisOrNull(row, "lease_duration_ms"),
        millisOrNull(row, "execution_timeout_ms"),
        row.textOrNull("on_failure_workflow"),
        row.textOrNull("on_failure_task_queue"));
  }

  private static @Nullable Duration millisOrNull(Row row, String column) {
    String value = row.textOrNull(column);
    return value == null ? null : Duration.ofMillis((long) Double.parseDouble(value));
  }
}
