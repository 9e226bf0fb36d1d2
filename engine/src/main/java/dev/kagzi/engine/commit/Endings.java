package dev.kagzi.engine.commit;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.WaitEndings.Woken;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildMapStore;
import dev.kagzi.engine.store.FailedEvents;
import dev.kagzi.engine.store.FinishStore;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.FinishStore.Moved;
import dev.kagzi.engine.store.HandlerStore;
import dev.kagzi.engine.store.HandlerStore.FailedRun;
import dev.kagzi.engine.store.HandlerStore.Wanted;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.store.StartStore.Inserted;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.wakeup.NewsSignals.EndedWaits;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way for a run to end, whoever ends it: its row moves to history, its parent hears of it,
 * and the handlers of its failure are started in the same transaction, so that no crash can fall
 * between them.
 */
public final class Endings {

  private static final Logger log = LoggerFactory.getLogger(Endings.class);

  /** What a transaction has ended, to be announced after its commit. */
  public static final class Ended {
    private final Map<RunId, List<RunId>> handlers = new HashMap<>();
    private final Set<QueueKey> queues = new HashSet<>();
    private final List<EndedWaits> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private boolean orphans;

    private Ended() {}

    /** Nothing. */
    public static Ended nothing() {
      return new Ended();
    }

    public Set<RunId> runs() {
      return handlers.keySet();
    }

    /** The handlers that were started for a run. */
    List<RunId> handlersOf(RunId runId) {
      return handlers.getOrDefault(runId, List.of());
    }

    /** Where handlers, parents and the next children wait for a worker. */
    Set<QueueKey> queues() {
      return queues;
    }

    /** Parents that are held and need not wait any more. */
    List<EndedWaits> told() {
      return told;
    }

    /** Whether one of the runs had children. */
    boolean hasOrphans() {
      return orphans;
    }

    /** What is counted once it is committed. */
    Tally tally() {
      return tally;
    }

    /** Spreads the news. */
    public void announce(Signals signals) {
      queues.forEach(signals.work()::workReady);
      signals.done().done(runs(), Map.of());
      told.forEach(signals.news()::waitsEnded);
      if (orphans) {
        signals.orphans().parentEnded();
      }
      tally.tell(signals.telemetry());
    }
  }

  private final TimeOrderedIds ids;
  private final FinishStore finishes = new FinishStore();
  private final HandlerStore handlers = new HandlerStore();
  private final StartStore starts = new StartStore();
  private final FanOuts fanOuts;
  private final ChildEndings children;

  public Endings(InstantSource clock) {
    this.ids = new TimeOrderedIds(clock);
    ChildMapStore maps = new ChildMapStore();
    this.fanOuts = new FanOuts(ids, maps);
    this.children = new ChildEndings(maps, fanOuts, new WaitEndings(new WaitStore()));
  }

  /** Who starts the items of fan-outs. */
  FanOuts fanOuts() {
    return fanOuts;
  }

  /** Ends runs; the caller holds the locks of those that are live, and of their parents. */
  public Ended end(Transaction tx, List<End> ends, Instant now) {
    Ended ended = new Ended();
    if (ends.isEmpty()) {
      return ended;
    }
    List<Moved> moved = finishes.moveToHistory(tx, ends, now);
    moved.forEach(run -> ended.handlers.put(run.runId(), List.of()));
    count(ends, moved, ended.tally, now);
    ended.orphans = moved.stream().anyMatch(Moved::hasChildren);
    Woken woken = children.tellParents(tx, ends, moved, ended.tally, now);
    ended.queues.addAll(woken.queues());
    ended.told.addAll(woken.held());
    List<RunId> failed =
        ends.stream()
            .filter(end -> end.status().isFailure() && ended.runs().contains(end.runId()))
            .map(End::runId)
            .toList();
    if (!failed.isEmpty()) {
      sayWhichWereHandlers(failed, moved);
      startHandlers(tx, failed, ended, now);
    }
    return ended;
  }

  private static void count(List<End> ends, List<Moved> moved, Tally tally, Instant now) {
    Map<RunId, RunStatus> statuses = new HashMap<>();
    ends.forEach(end -> statuses.put(end.runId(), end.status()));
    for (Moved run : moved) {
      RunStatus status = statuses.get(run.runId());
      if (status != null) {
        Duration took = Duration.between(run.createdAt(), now);
        tally.note(to -> to.runFinished(run.target(), status, took));
      }
    }
  }

  /** Nobody handles the failure of a handler, so that at least the log tells of it. */
  private static void sayWhichWereHandlers(List<RunId> failed, List<Moved> moved) {
    for (Moved run : moved) {
      if (run.handlerFor() != null && failed.contains(run.runId())) {
        log.error(
            "Failure handler workflow failed. Halting recursion. It is run {}, the failure handler"
                + " of run {}; no handler is started for it.",
            run.runId(),
            run.handlerFor());
      }
    }
  }

  private void startHandlers(Transaction tx, Collection<RunId> failed, Ended ended, Instant now) {
    Map<RunId, RunId> failedByHandler = new HashMap<>();
    List<NewRun> runs = new ArrayList<>();
    for (Wanted wanted : handlers.findWanted(tx, failed)) {
      NewRun run = handler(wanted, now);
      failedByHandler.put(run.runId(), wanted.failed().runId());
      runs.add(run);
    }
    if (runs.isEmpty()) {
      return;
    }
    for (Inserted inserted : starts.insert(tx, runs)) {
      RunId handler = inserted.run().runId();
      RunId about = failedByHandler.remove(handler);
      ended.handlers.merge(about, List.of(handler), Endings::both);
      ended.queues.add(inserted.run().target().queue());
      ended.tally.note(to -> to.runStarted(inserted.run().target()));
    }
    failedByHandler
        .values()
        .forEach(run -> log.error("the failure handler of run {} is live already", run));
  }

  private static List<RunId> both(List<RunId> some, List<RunId> more) {
    List<RunId> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private NewRun handler(Wanted wanted, Instant now) {
    FailedRun failed = wanted.failed();
    StartRequest request =
        StartRequest.of(failed.target().namespace(), wanted.workflowType())
            .taskQueue(wanted.taskQueue())
            .externalId(wanted.externalId())
            .input(FailedEvents.toPayload(failed))
            .labels(failed.labels())
            .traceparent(failed.traceparent())
            .handlerFor(failed.runId())
            .build();
    return new NewRun(new RunId(ids.next()), request, now, now, null);
  }
}
