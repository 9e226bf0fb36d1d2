package dev.kagzi.engine.commit;

import dev.kagzi.engine.commit.WaitEndings.Woken;
import dev.kagzi.engine.domain.ChildCounts;
import dev.kagzi.engine.domain.ChildFailures;
import dev.kagzi.engine.domain.EndedWait;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildMapStore;
import dev.kagzi.engine.store.ChildMapStore.Counted;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.ChildStore.ChildEnd;
import dev.kagzi.engine.store.ChildStore.EndedItem;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.FinishStore.Moved;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the end of a child means to its parent: the result is copied to the item that stands for the
 * child, a parent that waits for it goes on, and a fan-out starts the next. A parent that does not
 * wait yet finds the item when it does.
 */
final class ChildEndings {

  private final ChildStore items = new ChildStore();
  private final ChildMapStore maps;
  private final FanOuts fanOuts;
  private final WaitEndings waits;

  ChildEndings(ChildMapStore maps, FanOuts fanOuts, WaitEndings waits) {
    this.maps = maps;
    this.fanOuts = fanOuts;
    this.waits = waits;
  }

  /** The caller holds the locks of the parents that are live. */
  Woken tellParents(Transaction tx, List<End> ends, List<Moved> moved, Tally tally, Instant now) {
    Map<RunId, ChildEnd> news = news(ends, moved);
    if (news.isEmpty()) {
      return Woken.NOBODY;
    }
    List<EndedWait> over = new ArrayList<>();
    Map<Step, Integer> inMaps = new HashMap<>();
    for (EndedItem item : items.endItems(tx, List.copyOf(news.values()))) {
      ChildEnd end = news.get(item.child());
      if (item.inMap()) {
        inMaps.merge(item.step(), 1, Integer::sum);
      } else if (end != null) {
        Step step = item.step();
        over.add(
            EndedWait.by(step.runId(), step.stepKey(), item.child(), end.output(), end.error()));
      }
    }
    List<RunTarget> started = inMaps.isEmpty() ? List.of() : goOn(tx, inMaps, over, now);
    Woken woken = over.isEmpty() ? Woken.NOBODY : waits.end(tx, over, now);
    Set<QueueKey> queues = new HashSet<>(woken.queues());
    for (RunTarget run : started) {
      queues.add(run.queue());
      tally.note(to -> to.runStarted(run));
    }
    return new Woken(queues, woken.held());
  }

  /** The one place that says which ends a parent hears of; not one of a run that goes on. */
  private static Map<RunId, ChildEnd> news(List<End> ends, List<Moved> moved) {
    Map<RunId, RunId> parents = new HashMap<>();
    for (Moved run : moved) {
      RunId parent = run.parent();
      if (parent != null) {
        parents.put(run.runId(), parent);
      }
    }
    Map<RunId, ChildEnd> news = new HashMap<>();
    for (End end : ends) {
      RunId parent = parents.get(end.runId());
      if (parent != null && !end.isContinuation()) {
        news.put(
            end.runId(),
            new ChildEnd(
                parent,
                end.runId(),
                end.status(),
                end.output(),
                ChildFailures.of(end.runId(), end.status(), end.error(), end.reason())));
      }
    }
    return news;
  }

  /** Counts what has ended, starts what comes next, and adds the steps of which all has ended. */
  private List<RunTarget> goOn(
      Transaction tx, Map<Step, Integer> amounts, List<EndedWait> over, Instant now) {
    Map<Step, ChildCounts> open = new HashMap<>();
    for (Counted map : maps.countEnded(tx, amounts)) {
      Step step = map.step();
      if (map.counts().isOver()) {
        over.add(EndedWait.byAll(step.runId(), step.stepKey()));
      } else if (map.goesOn()) {
        open.put(step, map.counts());
      }
    }
    return open.isEmpty() ? List.of() : fanOuts.startNext(tx, open, now);
  }
}
