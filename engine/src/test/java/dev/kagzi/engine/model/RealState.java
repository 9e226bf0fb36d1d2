package dev.kagzi.engine.model;

import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The engine's whole state as texts by name, read behind its back. */
final class RealState {

  private static final String RUNS =
      """
      SELECT run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
             wait_reason, COALESCE(available_at, lease_until) AS at, locked_by AS worker,
             lease_epoch, failures, crashes, retries, open_sagas, stop_requested,
             stop_requested_at, deadline_at, created_at, started_at, NULL::timestamptz AS finished_at,
             parent_run_id, parent_step_key, handler_for_run_id, continued_from_run_id,
             NULL::uuid AS continued_as_run_id, forked_from_run_id, schedule_group_id, fire_at,
             NULL::text AS failed_step_key, NULL::bytea AS output, NULL::text AS kind
      FROM kagzi.workflow_runs WHERE status NOT IN ('SCHEDULED', 'PAUSED')
      UNION ALL
      SELECT run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
             NULL, NULL, finished_by, lease_epoch, failures, crashes, retries, 0, NULL,
             NULL, deadline_at, created_at, started_at, finished_at, parent_run_id,
             parent_step_key, handler_for_run_id, continued_from_run_id, continued_as_run_id,
             forked_from_run_id, schedule_group_id, fire_at, failed_step_key, output,
             error ->> 'kind'
      FROM kagzi.finished_runs
      """;

  private final Database database;
  private final Labels labels;

  RealState(Database database, Labels labels) {
    this.database = database;
    this.labels = labels;
  }

  SortedMap<String, String> read() {
    SortedMap<String, String> facts = new TreeMap<>();
    database.inTransaction(tx -> {
      facts.clear();
      add(facts, tx, RUNS, row -> "run " + run(row, "run_id"), this::runText);
      readSteps(tx, facts);
      readRest(tx, facts);
      return true;
    });
    return facts;
  }

  private static void add(
      SortedMap<String, String> facts,
      Transaction tx,
      String sql,
      Function<Row, String> name,
      Function<Row, String> text) {
    tx.query(sql).list(row -> facts.put(name.apply(row), text.apply(row)));
  }

  private String run(Row row, String column) {
    return String.valueOf(labels.ofOrNull(row.uuidOrNull(column)));
  }

  private String runText(Row row) {
    return Facts.run()
        .with("status", row.text("status"))
        .with("reason", row.textOrNull("wait_reason"))
        .with("at", row.instantOrNull("at"))
        .with("worker", run(row, "worker"))
        .with("epoch", row.integer("lease_epoch"))
        .with("failures", row.integer("failures"))
        .with("crashes", row.integer("crashes"))
        .with("retries", row.integer("retries"))
        .with("sagas", row.integer("open_sagas"))
        .with("stop", row.textOrNull("stop_requested"))
        .with("stopAt", row.instantOrNull("stop_requested_at"))
        .with("type", row.text("workflow_type") + ":" + row.text("version"))
        .with("queue", row.text("task_queue"))
        .with("externalId", labels.externalId(row.textOrNull("external_id")))
        .with("deadline", row.instantOrNull("deadline_at"))
        .with("created", row.instant("created_at"))
        .with("started", row.instantOrNull("started_at"))
        .with("finished", row.instantOrNull("finished_at"))
        .with("parent", run(row, "parent_run_id") + "/" + row.textOrNull("parent_step_key"))
        .with("handlerFor", run(row, "handler_for_run_id"))
        .with("continuedFrom", run(row, "continued_from_run_id"))
        .with("continuedAs", run(row, "continued_as_run_id"))
        .with("forkedFrom", run(row, "forked_from_run_id"))
        .with("schedule", run(row, "schedule_group_id"))
        .with("fireAt", row.instantOrNull("fire_at"))
        .with("failedStep", row.textOrNull("failed_step_key"))
        .with("result", result(row))
        .toString();
  }

  private static @Nullable String result(Row row) {
    byte[] output = row.bytesOrNull("output");
    String kind = row.textOrNull("kind");
    return output != null
        ? new String(output, StandardCharsets.UTF_8)
        : kind == null ? null : kind.toLowerCase(Locale.ROOT).replace("_", "");
  }

  private void readSteps(Transaction tx, SortedMap<String, String> facts) {
    add(
        facts,
        tx,
        "SELECT *, NULL::text AS kind_of_error FROM kagzi.step_runs",
        row ->
            "step %s/%s/%d"
                .formatted(run(row, "run_id"), row.text("step_key"), row.integer("attempt")),
        row ->
            Facts.step()
                .with("status", row.text("status"))
                .with("settled", row.bool("settled"))
                .with("epoch", row.integer("lease_epoch"))
                .with("finished", row.instantOrNull("finished_at"))
                .with("retryAt", row.instantOrNull("retry_at"))
                .with("timedOut", row.bool("timed_out"))
                .with("superseded", row.instantOrNull("superseded_at"))
                .with("output", text(row.bytesOrNull("output")))
                .toString());
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.running_steps",
        row -> "begun %s/%s".formatted(run(row, "run_id"), row.text("step_key")),
        row ->
            "attempt %d epoch %d once %s until %s"
                .formatted(
                    row.integer("attempt"),
                    row.integer("lease_epoch"),
                    row.bool("at_most_once"),
                    row.instantOrNull("timeout_at")));
    add(
        facts,
        tx,
        "SELECT *, LEAST(wake_at, timeout_at) AS until FROM kagzi.run_waits",
        row -> "wait %s/%s".formatted(run(row, "run_id"), row.text("step_key")),
        row -> "%s until %s".formatted(row.text("kind"), row.instantOrNull("until")));
  }

  private static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private void readRest(Transaction tx, SortedMap<String, String> facts) {
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.run_events",
        row -> "event %s/%s".formatted(run(row, "run_id"), row.text("idempotency_key")),
        row -> "consumed by " + row.textOrNull("consumed_by"));
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.child_items",
        row -> "item %s/%s".formatted(run(row, "run_id"), row.text("step_key")),
        row ->
            "%s %s %s"
                .formatted(
                    run(row, "child_run_id"), row.text("status"), text(row.bytesOrNull("output"))));
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.ended_parents",
        row -> "ended parent " + run(row, "run_id"),
        row -> "");
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.workers",
        row -> "worker " + run(row, "worker_id"),
        row -> "%s last heard %s".formatted(row.text("status"), row.instant("last_heartbeat_at")));
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.workflow_runs WHERE status IN ('SCHEDULED', 'PAUSED')",
        row -> "schedule " + run(row, "run_id"),
        row ->
            "%s fired up to %s, next %s"
                .formatted(
                    row.text("status"),
                    row.instantOrNull("last_fired_at"),
                    row.instantOrNull("available_at")));
    add(
        facts,
        tx,
        "SELECT * FROM kagzi.schedule_firings WHERE schedule_id IN (SELECT run_id FROM"
            + " kagzi.workflow_runs)",
        row -> "tick %s@%s".formatted(run(row, "schedule_id"), row.instant("fire_at")),
        row -> row.textOrNull("skip_reason") == null ? "FIRED" : row.text("skip_reason"));
  }
}
