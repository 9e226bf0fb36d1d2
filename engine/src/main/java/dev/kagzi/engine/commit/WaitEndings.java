package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.store.WaitStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The one way for a wait to end by what it waited for: its step is settled, and the run made to go
 * on. One that sleeps is claimable at once; the worker of one that is held, because it has other
 * things to do, is told after the commit.
 */
final class WaitEndings {

  private final WaitStore waits;

  WaitEndings(WaitStore waits) {
    this.waits = waits;
  }

  /** Ends waits of runs whose rows the caller holds, whatever they do; those not open are left. */
  void end(Transaction tx, List<EndedWait> ended, HeldRuns runs, Answers answers, Instant now) {
    if (ended.isEmpty()) {
      return;
    }
    Map<RunId, List<String>> keys = new HashMap<>();
    for (Step step : settle(tx, ended, now)) {
      keys.computeIfAbsent(step.runId(), id -> new ArrayList<>()).add(step.stepKey());
    }
    List<RunId> sleeping = new ArrayList<>();
    keys.forEach((runId, stepKeys) -> {
      LiveRun run = runs.live(runId);
      if (run == null) {
        return;
      }
      WorkerId worker = run.lockedBy();
      if (run.status() == RunStatus.SLEEPING) {
        sleeping.add(runId);
        answers.workReady(run.target().queue());
      } else if (worker != null) {
        answers.waitsEnded(worker, runId, run.epoch(), stepKeys);
      }
    });
    if (!sleeping.isEmpty()) {
      waits.wake(tx, sleeping, now);
    }
  }

  /** The same for whoever tells the worker himself, in his answer; says which were open. */
  List<Step> settle(Transaction tx, List<EndedWait> ended, Instant now) {
    return ended.isEmpty() ? List.of() : waits.end(tx, ended, now);
  }
}
