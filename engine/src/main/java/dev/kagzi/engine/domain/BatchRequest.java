package dev.kagzi.engine.domain;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks for when it starts a batch: named runs, or all that meet criteria.
 *
 * @param requestId the batch's id, if the caller minted it
 * @param runIds the runs; empty if they are to be found by the criteria
 */
public record BatchRequest(
    @Nullable BatchId requestId, Batch.Order order, Set<RunId> runIds, List<Criterion> criteria) {

  public BatchRequest {
    runIds = Set.copyOf(runIds);
    criteria = List.copyOf(criteria);
  }
}
