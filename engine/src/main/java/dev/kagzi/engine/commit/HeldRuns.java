package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.RunStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live rows a batch may touch, locked in one ordered statement before anything else: this is
 * why two batches can never deadlock, and why nothing changes under a decision.
 */
final class HeldRuns {

  private final Map<RunId, LiveRun> live;
  private final Map<RunId, EndedRun> ended;

  private HeldRuns(Map<RunId, LiveRun> live, Map<RunId, EndedRun> ended) {
    this.live = live;
    this.ended = ended;
  }

  /**
   * Locks the rows of runs.
   *
   * @param ending those among them that may end, which is news for their parents
   */
  static HeldRuns lock(
      Transaction tx, RunStore store, Collection<RunId> runIds, Collection<RunId> ending) {
    if (runIds.isEmpty()) {
      return new HeldRuns(Map.of(), Map.of());
    }
    Map<RunId, LiveRun> live = store.lock(tx, runIds, ending);
    List<RunId> missing = runIds.stream().filter(runId -> !live.containsKey(runId)).toList();
    return new HeldRuns(live, missing.isEmpty() ? Map.of() : store.findEnded(tx, missing));
  }

  boolean isHeldUnder(Fence fence) {
    LiveRun run = live.get(fence.runId());
    return run != null && run.isHeldUnder(fence);
  }

  @Nullable LiveRun live(RunId runId) {
    return live.get(runId);
  }

  /** Tells those who are answered about a run that it has been asked to end. */
  void tellStops(Answers answers) {
    live.values()
        .forEach(run -> {
          StopRequest stop = run.stop();
          if (stop != null) {
            answers.stopRequested(run.runId(), stop);
          }
        });
  }

  @Nullable EndedRun ended(RunId runId) {
    return ended.get(runId);
  }

  /** Whether the run is one of the fence's namespace, whoever holds it. */
  boolean isKnownTo(Fence fence) {
    LiveRun run = live.get(fence.runId());
    EndedRun end = ended.get(fence.runId());
    return (run != null && run.target().namespace().equals(fence.namespace()))
        || (end != null && end.namespace().equals(fence.namespace()));
  }

  EngineException refusal(Fence fence) {
    return Fencing.refusal(fence, live.get(fence.runId()), ended.get(fence.runId()));
  }
}
