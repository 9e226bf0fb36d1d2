package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Row;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Which of the engine's ids stands for what in a history. */
final class Labels {

  private static final String SCHEDULE = "schedule:";
  private static final String HANDLER = "failure-";
  private static final int UUID_LENGTH = 36;

  private static final String ALL_RUNS =
      """
      SELECT run_id, external_id, continued_from_run_id FROM kagzi.workflow_runs
      WHERE status NOT IN ('SCHEDULED', 'PAUSED')
      UNION ALL
      SELECT run_id, external_id, continued_from_run_id FROM kagzi.finished_runs
      ORDER BY run_id
      """;

  private record Seen(UUID runId, @Nullable String externalId, @Nullable UUID continuedFrom) {}

  private final Database database;
  private final Map<UUID, String> labels = new HashMap<>();
  private final Map<String, UUID> ids = new HashMap<>();

  Labels(Database database) {
    this.database = database;
  }

  void clear() {
    labels.clear();
    ids.clear();
  }

  void put(UUID id, String label) {
    labels.putIfAbsent(id, label);
    ids.putIfAbsent(label, id);
  }

  RunId run(String label) {
    return new RunId(id(label));
  }

  WorkerId worker(String label) {
    return new WorkerId(id(label));
  }

  UUID id(String label) {
    if (!ids.containsKey(label)) {
      learn();
    }
    UUID id = ids.get(label);
    if (id == null) {
      throw new AssertionError("the engine has nothing that would be " + label);
    }
    return id;
  }

  @Nullable String ofOrNull(@Nullable UUID id) {
    return id == null ? null : of(id);
  }

  String of(UUID id) {
    if (!labels.containsKey(id)) {
      learn();
    }
    return labels.getOrDefault(id, "unexpected " + id);
  }

  /** Names the runs that nobody started by name: successors, handlers, those of schedules. */
  private void learn() {
    for (Seen seen : database.inTransaction(tx -> tx.query(ALL_RUNS).list(Labels::read))) {
      if (labels.containsKey(seen.runId())) {
        continue;
      }
      if (seen.continuedFrom() != null) {
        put(seen.runId(), of(seen.continuedFrom()) + "+");
      } else if (seen.externalId() != null) {
        String named = externalId(seen.externalId());
        if (named != null && !named.equals(seen.externalId())) {
          put(seen.runId(), named);
        }
      }
    }
  }

  private static Seen read(Row row) {
    return new Seen(
        row.uuid("run_id"), row.textOrNull("external_id"), row.uuidOrNull("continued_from_run_id"));
  }

  /** An external id with labels in the place of ids. */
  @Nullable String externalId(@Nullable String text) {
    if (text != null && text.startsWith(SCHEDULE)) {
      int end = SCHEDULE.length() + UUID_LENGTH;
      UUID schedule = UUID.fromString(text.substring(SCHEDULE.length(), end));
      return labels.get(schedule) + "@" + text.substring(end + 1);
    }
    if (text != null && text.startsWith(HANDLER)) {
      int end = HANDLER.length() + UUID_LENGTH;
      UUID failed = UUID.fromString(text.substring(HANDLER.length(), end));
      String retries = text.length() == end ? "0" : text.substring(end + 1);
      return labels.get(failed) + "!" + retries;
    }
    return text;
  }
}
