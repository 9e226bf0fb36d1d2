package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.ChildCounts;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fan-outs: steps that start one child per item. Whoever calls this holds the lock of the parent,
 * so that the counters and the items fit together.
 */
public final class ChildMapStore {

  private static final String INSERT =
      """
      INSERT INTO kagzi.child_maps (
        run_id, step_key, workflow_type, task_queue, version, retry_policy, step_timeout,
        lease_duration, execution_timeout, on_failure_workflow, on_failure_task_queue, labels,
        traceparent, parent_close_policy, max_concurrent)
      VALUES (
        :runId, :stepKey, :type, :queue, :version, :policy::jsonb,
        :stepTimeout::int8 * interval '1 millisecond', :lease::int8 * interval '1 millisecond',
        :executionTimeout::int8 * interval '1 millisecond', :failureWorkflow, :failureQueue,
        :labels::jsonb, :traceparent, :closePolicy, :maxConcurrent)
      """;

  /** Writes down what the children of a step will have in common. */
  public void insert(Transaction tx, Step step, ChildMap map) {
    StartRequest template = map.template();
    RunPolicies policies = template.policies();
    tx.query(INSERT)
        .set("runId", step.runId().value())
        .set("stepKey", step.stepKey())
        .set("type", template.workflowType())
        .set("queue", template.taskQueue())
        .set("version", template.version())
        .set("policy", Json.ofPartial(policies.retry()))
        .set("stepTimeout", millis(policies.stepTimeout()))
        .set("lease", millis(policies.lease()))
        .set("executionTimeout", millis(policies.executionTimeout()))
        .set("failureWorkflow", policies.onFailureWorkflow())
        .set("failureQueue", policies.onFailureQueue())
        .set("labels", Json.ofMap(template.labels()))
        .set("traceparent", template.traceparent())
        .set("closePolicy", map.closePolicy().name())
        .set("maxConcurrent", map.maxConcurrent())
        .update();
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }

  private static final String FIND =
      """
      SELECT m.run_id, m.step_key, m.item_count, m.started_count, m.ended_count, m.is_complete,
             m.max_concurrent
      FROM unnest(:runIds::uuid[], :stepKeys::text[]) AS a(run_id, step_key)
      JOIN kagzi.child_maps m ON m.run_id = a.run_id AND m.step_key = a.step_key
      """;

  /** How far fan-outs have come. */
  public Map<Step, ChildCounts> find(Transaction tx, Collection<Step> steps) {
    Map<Step, ChildCounts> found = new HashMap<>();
    tx.query(FIND)
        .uuids("runIds", steps, step -> step.runId().value())
        .texts("stepKeys", steps, Step::stepKey)
        .list(row -> Map.entry(readStep(row), readCounts(row)))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }

  private static Step readStep(Row row) {
    return new Step(new RunId(row.uuid("run_id")), row.text("step_key"));
  }

  private static ChildCounts readCounts(Row row) {
    return new ChildCounts(
        row.integer("item_count"),
        row.integer("started_count"),
        row.integer("ended_count"),
        row.bool("is_complete"),
        row.integer("max_concurrent"));
  }

  private static final String ADD_ITEMS =
      """
      WITH items AS (
        INSERT INTO kagzi.child_items (
          run_id, step_key, item_index, status, input, input_metadata)
        SELECT :runId, :stepKey, :first + (i.place - 1)::int4, 'WAITING', i.input,
               i.input_metadata::jsonb
        FROM unnest(:inputs::bytea[], :inputMetadata::text[]) WITH ORDINALITY
          AS i(input, input_metadata, place)
      )
      UPDATE kagzi.child_maps
      SET item_count = :first + :amount, is_complete = is_complete OR :last
      WHERE run_id = :runId AND step_key = :stepKey
      """;

  /** Appends items; the first has the index that follows those that are there. */
  public void addItems(Transaction tx, Step step, int first, List<Payload> inputs, boolean last) {
    tx.query(ADD_ITEMS)
        .set("runId", step.runId().value())
        .set("stepKey", step.stepKey())
        .set("first", first)
        .set("amount", inputs.size())
        .set("last", last)
        .byteArrays("inputs", inputs, Payload::data)
        .texts("inputMetadata", inputs, input -> Json.ofMap(input.metadata()))
        .update();
  }

  /**
   * A fan-out some of whose children have ended.
   *
   * @param goesOn the parent lives and has not been asked to end: it wants the next ones
   */
  public record Counted(Step step, ChildCounts counts, boolean goesOn) {}

  private static final String COUNT_ENDED =
      """
      UPDATE kagzi.child_maps m
      SET ended_count = m.ended_count + a.amount
      FROM unnest(:runIds::uuid[], :stepKeys::text[], :amounts::int4[])
        AS a(run_id, step_key, amount)
      LEFT JOIN kagzi.workflow_runs r
             ON r.run_id = a.run_id AND r.run_id = ANY(:runIds::uuid[])
      WHERE m.run_id = a.run_id AND m.step_key = a.step_key
      RETURNING m.run_id, m.step_key, m.item_count, m.started_count, m.ended_count, m.is_complete,
                m.max_concurrent, r.run_id IS NOT NULL AND r.stop_requested IS NULL AS goes_on
      """;

  /** Counts children that have ended; returns those of the steps that are fan-outs. */
  public List<Counted> countEnded(Transaction tx, Map<Step, Integer> amounts) {
    List<Map.Entry<Step, Integer>> entries = List.copyOf(amounts.entrySet());
    return tx.query(COUNT_ENDED)
        .uuids("runIds", entries, entry -> entry.getKey().runId().value())
        .texts("stepKeys", entries, entry -> entry.getKey().stepKey())
        .ints("amounts", entries, Map.Entry::getValue)
        .list(row -> new Counted(readStep(row), readCounts(row), row.bool("goes_on")));
  }

  /** An item whose turn has come. */
  public record Turn(Step step, int index, RunId child) {}

  /**
   * Children of items have no external id, so that no insert here ever waits for another: that is
   * why it may come after locks, starts and ends of the same transaction. The input moves from the
   * item to the run.
   */
  private static final String START =
      """
      WITH next AS MATERIALIZED (
        SELECT n.run_id, n.step_key, n.item_index, n.child_run_id, i.input, i.input_metadata
        FROM unnest(:runIds::uuid[], :stepKeys::text[], :indexes::int4[], :children::uuid[])
          AS n(run_id, step_key, item_index, child_run_id)
        JOIN kagzi.child_items i
          ON i.run_id = n.run_id AND i.step_key = n.step_key AND i.item_index = n.item_index
        WHERE i.status = 'WAITING'
      ), items AS (
        UPDATE kagzi.child_items i
        SET status = 'RUNNING', child_run_id = n.child_run_id, input = NULL, input_metadata = NULL
        FROM next n
        WHERE i.run_id = n.run_id AND i.step_key = n.step_key AND i.item_index = n.item_index
      ), counted AS (
        UPDATE kagzi.child_maps m
        SET started_count = m.started_count + n.amount
        FROM (SELECT run_id, step_key, count(*)::int4 AS amount FROM next
              GROUP BY run_id, step_key) n
        WHERE m.run_id = n.run_id AND m.step_key = n.step_key
      ), payloads AS (
        INSERT INTO kagzi.workflow_payloads (run_id, input, input_metadata)
        SELECT child_run_id, input, input_metadata FROM next
      )
      INSERT INTO kagzi.workflow_runs (
        run_id, namespace_id, task_queue, workflow_type, version, status, available_at,
        deadline_at, retry_policy, step_timeout, lease_duration, execution_timeout,
        on_failure_workflow, on_failure_task_queue, labels, traceparent, parent_run_id,
        parent_step_key, parent_close_policy, created_at)
      SELECT n.child_run_id, p.namespace_id, COALESCE(m.task_queue, t.home_queue, 'default'),
             m.workflow_type, COALESCE(m.version, t.default_version, ''), 'PENDING', :now,
             :now + m.execution_timeout, m.retry_policy, m.step_timeout, m.lease_duration,
             m.execution_timeout, m.on_failure_workflow, m.on_failure_task_queue, m.labels,
             m.traceparent, m.run_id, m.step_key, m.parent_close_policy, :now
      FROM next n
      JOIN kagzi.child_maps m ON m.run_id = n.run_id AND m.step_key = n.step_key
      JOIN kagzi.workflow_runs p ON p.run_id = n.run_id AND p.run_id = ANY(:runIds::uuid[])
      LEFT JOIN kagzi.workflow_types t
             ON t.namespace_id = p.namespace_id AND t.workflow_type = m.workflow_type
      RETURNING namespace_id, task_queue, workflow_type, version
      """;

  /** Starts the children of items, and says what was started. */
  public List<RunTarget> start(Transaction tx, List<Turn> turns, Instant now) {
    return tx.query(START)
        .set("now", now)
        .uuids("runIds", turns, turn -> turn.step().runId().value())
        .texts("stepKeys", turns, turn -> turn.step().stepKey())
        .ints("indexes", turns, Turn::index)
        .uuids("children", turns, turn -> turn.child().value())
        .list(Rows::target);
  }
}
