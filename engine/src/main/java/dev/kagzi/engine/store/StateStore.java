package dev.kagzi.engine.store;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.PublishedState;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What runs show to clients. */
public final class StateStore {

  /**
   * A value about to be shown.
   *
   * @param value null to show nothing under the name any more
   * @param sequence the place of the publication in the run
   */
  public record Publication(Fence fence, String name, @Nullable Payload value, long sequence) {}

  private static final String FIND_SEQUENCES =
      """
      SELECT run_id, name, sequence FROM kagzi.run_states WHERE run_id = ANY(:runIds::uuid[])
      """;

  /** The names of runs, also those that were removed, with the place of the last publication. */
  public Map<RunId, Map<String, Long>> findSequences(Transaction tx, Collection<RunId> runIds) {
    Map<RunId, Map<String, Long>> found = new HashMap<>();
    tx.query(FIND_SEQUENCES)
        .uuids("runIds", runIds, RunId::value)
        .list(row ->
            found
                .computeIfAbsent(new RunId(row.uuid("run_id")), id -> new HashMap<>())
                .put(row.text("name"), row.bigint("sequence")));
    return found;
  }

  private static final String PUBLISH =
      """
      INSERT INTO kagzi.run_states (
        run_id, name, namespace_id, lease_epoch, sequence, value, value_metadata, updated_at)
      SELECT run_id, name, namespace_id, lease_epoch, sequence, value, value_metadata::jsonb, :now
      FROM unnest(:runIds::uuid[], :names::text[], :namespaces::text[], :epochs::int4[],
                  :sequences::int8[], :values::bytea[], :metadata::text[])
        AS p(run_id, name, namespace_id, lease_epoch, sequence, value, value_metadata)
      ON CONFLICT (run_id, name) DO UPDATE
        SET lease_epoch = EXCLUDED.lease_epoch, sequence = EXCLUDED.sequence,
            value = EXCLUDED.value, value_metadata = EXCLUDED.value_metadata,
            updated_at = EXCLUDED.updated_at
        WHERE run_states.sequence < EXCLUDED.sequence
      """;

  /** Writes values of runs whose locks the caller holds; an older one never replaces a newer. */
  public void publish(Transaction tx, List<Publication> publications, Instant now) {
    tx.query(PUBLISH)
        .set("now", now)
        .uuids("runIds", publications, one -> one.fence().runId().value())
        .texts("names", publications, Publication::name)
        .texts("namespaces", publications, one -> one.fence().namespace())
        .ints("epochs", publications, one -> one.fence().epoch())
        .longs("sequences", publications, Publication::sequence)
        .byteArrays("values", publications, one -> Rows.dataOrNull(one.value()))
        .texts("metadata", publications, one -> Rows.metadataOrNull(one.value()))
        .update();
  }

  private static final String FIND =
      """
      SELECT name, value, value_metadata, updated_at
      FROM kagzi.run_states
      WHERE run_id = :runId AND value IS NOT NULL
        AND (:all OR name = ANY(:names::text[]))
      ORDER BY name
      """;

  /**
   * What a run shows.
   *
   * @param names only these; empty means all
   */
  public List<PublishedState> find(Transaction tx, RunId runId, List<String> names) {
    return tx.query(FIND)
        .set("runId", runId.value())
        .set("all", names.isEmpty())
        .texts("names", names, name -> name)
        .list(StateStore::readState);
  }

  private static PublishedState readState(Row row) {
    return new PublishedState(
        row.text("name"),
        Objects.requireNonNull(
            Json.toPayload(row.bytes("value"), row.textOrNull("value_metadata"))),
        row.instant("updated_at"));
  }

  private static final String BEGIN_ANEW =
      """
      UPDATE kagzi.run_states SET sequence = 0 WHERE run_id = ANY(:runIds::uuid[])
      """;

  /** Lets runs that are retried show what they come to; until then they show what they did. */
  public void beginAnew(Transaction tx, Collection<RunId> runIds) {
    tx.query(BEGIN_ANEW).uuids("runIds", runIds, RunId::value).update();
  }
}
