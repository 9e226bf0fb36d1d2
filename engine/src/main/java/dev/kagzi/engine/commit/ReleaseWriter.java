package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.StepStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes runs that workers hand back: claimable at once, and no crash is counted. */
final class ReleaseWriter {

  private final ReleaseStore store;
  private final StepStore steps;

  ReleaseWriter(ReleaseStore store, StepStore steps) {
    this.store = store;
    this.steps = steps;
  }

  void write(
      Transaction tx, List<Command.Release> commands, HeldRuns runs, Answers answers, Instant now) {
    List<Fence> held = new ArrayList<>();
    List<ReleaseStore.Park> parked = new ArrayList<>();
    for (Command.Release command : commands) {
      Fence fence = command.fence();
      LiveRun run = runs.live(fence.runId());
      if (run != null && run.isHeldUnder(fence)) {
        Divergence divergence = command.divergence();
        if (divergence == null) {
          held.add(fence);
          answers.workReady(run.target().queue());
        } else {
          parked.add(new ReleaseStore.Park(fence, divergence));
        }
      }
      answers.answer(command, runs.isHeldUnder(fence) || isReleased(fence, run));
    }
    if (!held.isEmpty()) {
      List<RunId> released = store.release(tx, held, now);
      steps.interrupt(tx, released, now);
    }
    if (!parked.isEmpty()) {
      store.park(tx, parked, now);
      steps.interrupt(tx, parked.stream().map(park -> park.fence().runId()).toList(), now);
    }
  }

  /** The repetition of a release whose answer was lost. */
  private static boolean isReleased(Fence fence, @Nullable LiveRun run) {
    return run != null
        && run.status() == RunStatus.PENDING
        && run.epoch() == fence.epoch()
        && run.target().namespace().equals(fence.namespace());
  }
}
