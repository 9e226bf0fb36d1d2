package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.wakeup.Handoff.Born;
import dev.kagzi.engine.wakeup.NewsSignals.EndedWaits;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What will be true once the transaction commits: answers for callers and news for waiters. Nobody
 * hears of any of it before the commit; a transaction that fails simply drops them.
 */
final class Answers {

  private final IdentityHashMap<Command<?>, Object> answers = new IdentityHashMap<>();
  private final Set<Command<?>> again = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<QueueKey> ready = new HashSet<>();
  private final Map<QueueKey, Instant> due = new HashMap<>();
  private final Map<RunId, StopRequest> stops = new HashMap<>();
  private final Map<RunId, Born> born = new LinkedHashMap<>();
  private final Set<RunId> done = new HashSet<>();
  private final Map<RunId, Run> ends = new HashMap<>();
  private final List<EndedWaits> endedWaits = new ArrayList<>();
  private final Tally tally = new Tally();
  private boolean orphans;

  <R> void answer(Command<R> command, R value) {
    answers.put(command, value);
  }

  void refuse(Command<?> command, EngineException refusal) {
    answers.put(command, refusal);
  }

  /** What was in the way of this command has gone: it is to be tried again after the commit. */
  void again(Command<?> command) {
    again.add(command);
  }

  boolean has(Command<?> command) {
    return answers.containsKey(command);
  }

  boolean isAgain(Command<?> command) {
    return again.contains(command);
  }

  void workReady(QueueKey queue) {
    ready.add(queue);
  }

  /** Only the earliest time of a queue matters: whoever wakes then learns of the next. */
  void workDueAt(QueueKey queue, Instant at) {
    due.merge(queue, at, (a, b) -> a.isBefore(b) ? a : b);
  }

  /** A start has inserted a run. */
  void runBorn(NewRun run, RunTarget target) {
    born.put(run.runId(), new Born(run, target));
  }

  /** The runs that starts have inserted. */
  List<Born> born() {
    return List.copyOf(born.values());
  }

  /** A run exists and waits for a worker. */
  void runStarted(RunTarget run) {
    tally.note(to -> to.runStarted(run));
  }

  /** What is counted once it is committed. */
  Tally tally() {
    return tally;
  }

  void runDone(RunId runId) {
    done.add(runId);
  }

  /** Runs that have ended by this. */
  Set<RunId> done() {
    return done;
  }

  /** How a run has ended that somebody awaits. */
  void endKnown(Run run) {
    ends.put(run.runId(), run);
  }

  /** Runs can go on: where they wait for a worker, or who holds them. */
  void woken(WaitEndings.Woken woken) {
    ready.addAll(woken.queues());
    endedWaits.addAll(woken.held());
  }

  /** What follows from the ends of runs; the runs themselves are announced with their answers. */
  void ended(Endings.Ended ended) {
    ready.addAll(ended.queues());
    endedWaits.addAll(ended.told());
    orphans |= ended.hasOrphans();
    tally.addAll(ended.tally());
  }

  /** Whoever is answered about this run also hears that it has been asked to end. */
  void stopRequested(RunId runId, StopRequest stop) {
    stops.put(runId, stop);
  }

  /** Prepares for those who hear of new runs by their answers, and may await them then. */
  void announceBirths(Signals signals) {
    born.forEach((runId, run) -> signals.done().started(run.target().namespace(), runId));
  }

  /** Hands a caller its answer. */
  void give(Ticket<Command<?>> ticket) {
    Object answer = answers.get(ticket.command());
    switch (answer) {
      case null ->
          ticket
              .answer()
              .completeExceptionally(
                  new IllegalStateException("no answer for " + ticket.command().getClass()));
      case EngineException refusal -> ticket.answer().completeExceptionally(refusal);
      default -> ticket.answer().complete(new Heard<>(answer, stops.get(ticket.command().runId())));
    }
  }

  /** Spreads the news. */
  void announce(Signals signals) {
    ready.forEach(signals.work()::workReady);
    due.forEach(signals.work()::workDueAt);
    signals.done().done(done, ends);
    endedWaits.forEach(signals.news()::waitsEnded);
    if (orphans) {
      signals.orphans().parentEnded();
    }
    tally.tell(signals.telemetry());
  }
}
