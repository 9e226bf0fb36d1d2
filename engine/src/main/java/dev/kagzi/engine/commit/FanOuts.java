package dev.kagzi.engine.commit;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.ChildCounts;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildMapStore;
import dev.kagzi.engine.store.ChildMapStore.Turn;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts the items of fan-outs whose turn has come: when items are added and when children end. A
 * transaction starts only so many; as long as items wait, some child is live whose end goes on with
 * them.
 */
final class FanOuts {

  /** Runs that one transaction starts. */
  private static final int LIMIT = 500;

  private final TimeOrderedIds ids;
  private final ChildMapStore store;

  FanOuts(TimeOrderedIds ids, ChildMapStore store) {
    this.ids = ids;
    this.store = store;
  }

  /** Starts what may be live besides what is, and says what that was. */
  List<RunTarget> startNext(Transaction tx, Map<Step, ChildCounts> maps, Instant now) {
    List<Turn> turns = new ArrayList<>();
    // At least one of each, or a fan-out without a live child would stand still for ever.
    int share = Math.max(1, LIMIT / Math.max(1, maps.size()));
    maps.forEach((step, counts) -> {
      int end = counts.started() + counts.startable(share);
      for (int index = counts.started(); index < end; index++) {
        turns.add(new Turn(step, index, new RunId(ids.next())));
      }
    });
    return turns.isEmpty() ? List.of() : store.start(tx, turns, now);
  }
}
