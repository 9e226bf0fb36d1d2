package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Events of runs: kept until a wait asks for them, and consumed by one wait each. */
public final class EventStore {

  /** An event on its way to a run. */
  public record Delivery(RunId runId, String namespace, EventMessage event) {
    public EventKey key() {
      return new EventKey(runId, event.idempotencyKey());
    }
  }

  /** What tells the events of a run apart. */
  public record EventKey(RunId runId, String idempotencyKey) {}

  /**
   * The positions are taken in the order of the list, and while the runs are locked: an event that
   * was acknowledged before another was sent has the lower one.
   */
  private static final String INSERT =
      """
      INSERT INTO kagzi.run_events (
        run_id, namespace_id, event_name, idempotency_key, payload, payload_metadata, sent_at)
      SELECT run_id, namespace_id, event_name, idempotency_key, payload, payload_metadata::jsonb,
             :now
      FROM unnest(:runIds::uuid[], :namespaces::text[], :names::text[], :keys::text[],
                  :payloads::bytea[], :metadata::text[]) WITH ORDINALITY
        AS e(run_id, namespace_id, event_name, idempotency_key, payload, payload_metadata, turn)
      ORDER BY turn
      ON CONFLICT (run_id, idempotency_key) DO NOTHING
      RETURNING run_id, idempotency_key
      """;

  /** Keeps events, all but those that were kept before; the caller holds the runs' locks. */
  public Set<EventKey> insert(Transaction tx, List<Delivery> deliveries, Instant now) {
    return new HashSet<>(
        tx.query(INSERT)
            .set("now", now)
            .uuids("runIds", deliveries, one -> one.runId().value())
            .texts("namespaces", deliveries, Delivery::namespace)
            .texts("names", deliveries, one -> one.event().name())
            .texts("keys", deliveries, one -> one.event().idempotencyKey())
            .byteArrays("payloads", deliveries, one -> Rows.dataOrNull(one.event().payload()))
            .texts("metadata", deliveries, one -> Rows.metadataOrNull(one.event().payload()))
            .list(EventStore::readKey));
  }

  private static EventKey readKey(Row row) {
    return new EventKey(new RunId(row.uuid("run_id")), row.text("idempotency_key"));
  }

  /**
   * The n-th wait for an event of a name gets the n-th oldest that nobody has consumed. Both sides
   * come here after they have written, with the run's lock held, so that none misses the other.
   */
  private static final String CONSUME =
      """
      WITH open AS (
        SELECT run_id, event_name, step_key,
               row_number() OVER (PARTITION BY run_id, event_name ORDER BY seq, step_key) AS turn
        FROM kagzi.run_waits
        WHERE run_id = ANY(:runIds::uuid[]) AND kind = 'EVENT'
      ), oldest AS (
        SELECT o.run_id, o.event_name, e.position,
               row_number() OVER (PARTITION BY o.run_id, o.event_name ORDER BY e.position) AS turn
        FROM (SELECT run_id, event_name, count(*) AS waits FROM open GROUP BY 1, 2) o
        CROSS JOIN LATERAL (
          SELECT position FROM kagzi.run_events
          WHERE run_id = o.run_id AND event_name = o.event_name AND consumed_by IS NULL
          ORDER BY position
          LIMIT o.waits) e
      )
      UPDATE kagzi.run_events e
      SET consumed_by = open.step_key, consumed_at = :now
      FROM oldest JOIN open USING (run_id, event_name, turn)
      WHERE e.position = oldest.position
      RETURNING e.run_id, e.consumed_by, e.payload, e.payload_metadata
      """;

  /** Gives events to the waits that ask for them, which are over by that. */
  public List<EndedWait> consume(Transaction tx, Collection<RunId> runIds, Instant now) {
    return tx.query(CONSUME)
        .set("now", now)
        .uuids("runIds", runIds, RunId::value)
        .list(row ->
            EndedWait.by(
                new RunId(row.uuid("run_id")),
                row.text("consumed_by"),
                Json.toPayload(row.bytesOrNull("payload"), row.textOrNull("payload_metadata"))));
  }

  /** In the transaction that has superseded the steps. */
  private static final String GIVE_BACK =
      """
      UPDATE kagzi.run_events e
      SET consumed_by = NULL, consumed_at = NULL
      FROM kagzi.step_runs s
      WHERE e.run_id = ANY(:runIds::uuid[]) AND e.consumed_by IS NOT NULL
        AND s.run_id = e.run_id AND s.step_key = e.consumed_by
        AND s.kind = 'EVENT' AND s.superseded_at = :now
      """;

  /** Gives back what steps have consumed that a retry supersedes, so that nothing is lost. */
  public void giveBack(Transaction tx, Collection<RunId> runIds, Instant now) {
    tx.query(GIVE_BACK).set("now", now).uuids("runIds", runIds, RunId::value).update();
  }

  private static final String COUNT_UNCONSUMED =
      """
      SELECT a.run_id, e.kept
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      CROSS JOIN LATERAL (
        SELECT count(*)::int4 AS kept FROM kagzi.run_events
        WHERE run_id = a.run_id AND consumed_by IS NULL) e
      """;

  /** How many events each run keeps that no wait has asked for. */
  public Map<RunId, Integer> countUnconsumed(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, Integer> kept = new HashMap<>();
    tx.query(COUNT_UNCONSUMED)
        .uuids("runIds", runIds, RunId::value)
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), row.integer("kept")))
        .forEach(entry -> kept.put(entry.getKey(), entry.getValue()));
    return kept;
  }

  private static final String FIND =
      """
      SELECT e.run_id, e.idempotency_key
      FROM unnest(:runIds::uuid[], :namespaces::text[], :keys::text[])
        AS a(run_id, namespace_id, idempotency_key)
      JOIN kagzi.run_events e
        ON e.run_id = a.run_id AND e.namespace_id = a.namespace_id
          AND e.idempotency_key = a.idempotency_key
      """;

  /** Which of these were delivered before. */
  public Set<EventKey> findDelivered(Transaction tx, List<Delivery> deliveries) {
    return new HashSet<>(
        tx.query(FIND)
            .uuids("runIds", deliveries, one -> one.runId().value())
            .texts("namespaces", deliveries, Delivery::namespace)
            .texts("keys", deliveries, one -> one.event().idempotencyKey())
            .list(EventStore::readKey));
  }
}
