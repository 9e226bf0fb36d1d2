package dev.kagzi.engine.store;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.jdbc.Row;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Inputs and outputs of runs, or only how large they are, which costs far less. */
public final class PayloadStore {

  /** The length of a value that is stored elsewhere is known without fetching it. */
  private static final String SIZES =
      """
      SELECT a.run_id, COALESCE(p.bytes, 0) AS input_bytes, COALESCE(f.bytes, 0) AS output_bytes
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      LEFT JOIN LATERAL (
        SELECT octet_length(input) AS bytes
        FROM kagzi.workflow_payloads WHERE run_id = a.run_id) p ON true
      LEFT JOIN LATERAL (
        SELECT octet_length(output) AS bytes
        FROM kagzi.finished_runs WHERE run_id = a.run_id) f ON true
      """;

  public Map<RunId, RunPayloads> sizes(Transaction tx, Collection<RunId> runIds) {
    return read(
        tx,
        SIZES,
        runIds,
        row ->
            new RunPayloads(row.integer("input_bytes"), row.integer("output_bytes"), null, null));
  }

  private static final String FIND =
      """
      SELECT a.run_id, p.input, p.input_metadata, f.output, f.output_metadata
      FROM unnest(:runIds::uuid[]) AS a(run_id)
      LEFT JOIN LATERAL (
        SELECT input, input_metadata
        FROM kagzi.workflow_payloads WHERE run_id = a.run_id) p ON true
      LEFT JOIN LATERAL (
        SELECT output, output_metadata
        FROM kagzi.finished_runs WHERE run_id = a.run_id) f ON true
      """;

  public Map<RunId, RunPayloads> find(Transaction tx, Collection<RunId> runIds) {
    return read(tx, FIND, runIds, PayloadStore::readWhole);
  }

  private static RunPayloads readWhole(Row row) {
    var input = Json.toPayload(row.bytesOrNull("input"), row.textOrNull("input_metadata"));
    var output = Json.toPayload(row.bytesOrNull("output"), row.textOrNull("output_metadata"));
    return new RunPayloads(
        input == null ? 0 : input.size(), output == null ? 0 : output.size(), input, output);
  }

  private static Map<RunId, RunPayloads> read(
      Transaction tx, String sql, Collection<RunId> runIds, Function<Row, RunPayloads> reader) {
    Map<RunId, RunPayloads> found = new HashMap<>();
    tx.query(sql)
        .uuids("runIds", runIds, RunId::value)
        .list(row -> Map.entry(new RunId(row.uuid("run_id")), reader.apply(row)))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    return found;
  }
}
