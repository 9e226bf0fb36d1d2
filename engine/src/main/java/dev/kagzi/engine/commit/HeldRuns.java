package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.RunStore;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The live rows a batch may touch, locked in one ordered statement before anything else: this is
 * why two batches can never deadlock, and why nothing changes under a decision.
 */
final class HeldRuns {

  private final Map<RunId, LiveRun> live;
  private final Map<RunId, EndedRun> ended;
  private final StepCap cap;
  private Set<RunId> full = Set.of();

  private HeldRuns(Map<RunId, LiveRun> live, Map<RunId, EndedRun> ended, StepCap cap) {
    this.live = live;
    this.ended = ended;
    this.cap = cap;
  }

  /**
   * Locks the rows of runs.
   *
   * @param touched the runs
   * @param ending those among them that may end, which is news for their parents
   * @param suspects those among them whose steps are to be counted
   */
  static HeldRuns lock(
      Transaction tx,
      RunStore store,
      StepCeiling ceiling,
      Collection<RunId> touched,
      Collection<RunId> ending,
      Set<RunId> suspects) {
    if (touched.isEmpty()) {
      return new HeldRuns(Map.of(), Map.of(), ceiling.cap());
    }
    Map<RunId, LiveRun> live = store.lock(tx, touched, ending);
    List<RunId> missing = touched.stream().filter(runId -> !live.containsKey(runId)).toList();
    var runs =
        new HeldRuns(
            live, missing.isEmpty() ? Map.of() : store.findEnded(tx, missing), ceiling.cap());
    runs.full = ceiling.findFull(tx, suspects);
    return runs;
  }

  /** Whether a worker holds the run and may write one step more. */
  boolean mayGrowUnder(Fence fence) {
    return isHeldUnder(fence) && !full.contains(fence.runId());
  }

  boolean isHeldUnder(Fence fence) {
    LiveRun run = live.get(fence.runId());
    return run != null && run.isHeldUnder(fence);
  }

  @Nullable LiveRun live(RunId runId) {
    return live.get(runId);
  }

  /**
   * Runs have entered or left sagas since they were locked: whoever ends a run later in the same
   * batch must know it, or it would end inside a saga that its worker believes to be in.
   */
  void sagasChanged(Map<RunId, Integer> open) {
    open.forEach(
        (runId, sagas) -> live.computeIfPresent(runId, (id, run) -> run.withOpenSagas(sagas)));
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
    return isHeldUnder(fence) && full.contains(fence.runId())
        ? cap.refusal(fence.runId())
        : Fencing.refusal(fence, live.get(fence.runId()), ended.get(fence.runId()));
  }
}
