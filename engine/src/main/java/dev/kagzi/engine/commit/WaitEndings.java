package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.store.WaitStore.Roused;
import dev.kagzi.engine.wakeup.NewsSignals.EndedWaits;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The one way for a wait to end by what it waited for: its step is settled, and the run made to go
 * on. One that sleeps is claimable at once; the worker of one that is held, because it has other
 * things to do, is told after the commit.
 */
final class WaitEndings {

  /** Whom to tell after the commit that waits have ended. */
  record Woken(Set<QueueKey> queues, List<EndedWaits> held) {
    static final Woken NOBODY = new Woken(Set.of(), List.of());
  }

  private final WaitStore waits;

  WaitEndings(WaitStore waits) {
    this.waits = waits;
  }

  /** Ends waits of runs whose rows the caller holds, whatever they do; those not open are left. */
  Woken end(Transaction tx, List<EndedWait> ended, Instant now) {
    Map<RunId, List<String>> keys = new HashMap<>();
    for (Step step : settle(tx, ended, now)) {
      keys.computeIfAbsent(step.runId(), id -> new ArrayList<>()).add(step.stepKey());
    }
    if (keys.isEmpty()) {
      return Woken.NOBODY;
    }
    Set<RunId> failed =
        ended.stream()
            .filter(wait -> wait.status() != StepStatus.COMPLETED)
            .map(EndedWait::runId)
            .collect(Collectors.toSet());
    Woken woken = new Woken(new HashSet<>(), new ArrayList<>());
    for (Roused run : waits.wake(tx, keys.keySet(), failed, now)) {
      WorkerId worker = run.worker();
      if (worker == null) {
        woken.queues().add(run.queue());
      } else {
        List<String> stepKeys = keys.getOrDefault(run.runId(), List.of());
        woken.held().add(new EndedWaits(worker, run.runId(), run.epoch(), stepKeys));
      }
    }
    return woken;
  }

  /** The same for whoever tells the worker himself, in his answer; says which were open. */
  List<Step> settle(Transaction tx, List<EndedWait> ended, Instant now) {
    return ended.isEmpty() ? List.of() : waits.end(tx, ended, now);
  }
}
