package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.HistoryStore;
import dev.kagzi.engine.store.RunStore;
import java.util.List;

/** The history of runs that workers hold, beyond what came with the claim. */
public final class Histories {

  private final Database database;
  private final HistoryStore store = new HistoryStore();
  private final RunStore runs = new RunStore();

  public Histories(Database database) {
    this.database = database;
  }

  HistoryPage page(Fence fence, HistoryPage.Position after) {
    return database.inTransaction(tx -> {
      requireHeld(tx, fence);
      return store.page(tx, fence.runId(), after);
    });
  }

  HistoryPage page(Fence fence, HistoryPage.Position after, List<String> stepKeys) {
    return database.inTransaction(tx -> {
      requireHeld(tx, fence);
      return store.page(tx, fence.runId(), after, stepKeys);
    });
  }

  /** Throws unless the run is held under the fence. */
  void requireHeld(Transaction tx, Fence fence) {
    Run run =
        runs.find(tx, fence.namespace(), fence.runId())
            .orElseThrow(() -> Fencing.notFound(fence.runId()));
    if (run.status() != RunStatus.RUNNING || run.epoch() != fence.epoch()) {
      throw new EngineException(
          ErrorCode.LEASE_LOST, "run %s is held by another".formatted(fence.runId()));
    }
  }
}
