package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.BranchStore;
import dev.kagzi.engine.store.ChildMapStore;
import dev.kagzi.engine.store.EventStore;
import dev.kagzi.engine.store.FailureStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.store.StartStore.StartedRun;
import dev.kagzi.engine.store.StateStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.wakeup.Handoff;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes a mixed batch in one transaction: locks first, then one statement per kind, step results
 * before transitions. Callers hear of it after the commit, waiters after the callers.
 */
final class BatchWriter {

  /** How often a command is tried whose obstacle is gone whenever it is looked at. */
  private static final int ROUNDS = 3;

  /** Ends that are read for those who await them; each may bring an output of two megabytes. */
  private static final int MAX_AWAITED = 50;

  private static final String TOO_MANY_COMPETE =
      "too many starts compete for this external id; try again";

  private final Database database;
  private final InstantSource clock;
  private final Signals signals;
  private final RunStore runStore = new RunStore();
  private final StepCeiling ceiling;
  private final ShortWay shortWay;
  private final ChildWriter children = new ChildWriter(new StartStore(), new FailureStore());
  private final ItemWriter items;
  private final BranchStore branches = new BranchStore();
  private final StepWriter steps = new StepWriter(new StepStore(), branches);
  private final FailureWriter failures = new FailureWriter(new FailureStore(), branches);
  private final WaitStore waits = new WaitStore();
  private final WaitEndings waitEndings = new WaitEndings(waits);
  private final EventStore eventStore = new EventStore();
  private final StartWriter starts = new StartWriter(new StartStore(), eventStore);
  private final StateWriter states = new StateWriter(new StateStore());
  private final EventWriter events = new EventWriter(eventStore, waitEndings);
  private final SuspendWriter suspensions =
      new SuspendWriter(waits, new StepStore(), eventStore, waitEndings);
  private final CancelWriter cancels;
  private final FinishWriter finishes;
  private final ReleaseWriter releases = new ReleaseWriter(new ReleaseStore(), new StepStore());

  BatchWriter(
      Database database,
      InstantSource clock,
      Endings endings,
      Signals signals,
      GroupCommit.Rules rules) {
    this.database = database;
    this.clock = clock;
    this.signals = signals;
    this.shortWay = new ShortWay(database, clock, signals.done());
    this.items = new ItemWriter(new ChildMapStore(), endings.fanOuts());
    this.cancels = new CancelWriter(endings);
    this.finishes = new FinishWriter(endings, clock, rules.retry());
    this.ceiling = new StepCeiling(rules.steps());
  }

  void write(List<Ticket<Command<?>>> tickets) {
    Set<RunId> suspects = ceiling.suspects(Batch.of(tickets).growing);
    List<Ticket<Command<?>>> rest =
        suspects.isEmpty() && tickets.stream().allMatch(t -> ShortWay.isOpenTo(t.command()))
            ? writePlain(tickets)
            : tickets;
    if (!rest.isEmpty()) {
      writeAgain(writeOnce(rest, suspects), 2);
    }
  }

  /** Goes the short way and returns what has to go the other. */
  private List<Ticket<Command<?>>> writePlain(List<Ticket<Command<?>>> tickets) {
    Answers answers = shortWay.write(tickets.stream().map(Ticket::command).toList());
    List<Ticket<Command<?>>> rest = new ArrayList<>();
    for (Ticket<Command<?>> ticket : tickets) {
      if (answers.has(ticket.command())) {
        answers.give(ticket);
      } else {
        rest.add(ticket);
      }
    }
    answers.announce(signals);
    return rest;
  }

  /** Writes a batch and returns what has to be tried again. */
  private List<Ticket<Command<?>>> writeOnce(
      List<Ticket<Command<?>>> tickets, Set<RunId> suspects) {
    Handoff.Offer offer = signals.work().offer();
    Answers answers = writeAsNew(Batch.of(tickets).counting(suspects), offer);
    answers.announceBirths(signals);
    offer.committed();
    List<Ticket<Command<?>>> again = new ArrayList<>();
    for (Ticket<Command<?>> ticket : tickets) {
      if (answers.isAgain(ticket.command())) {
        again.add(ticket);
      } else {
        answers.give(ticket);
      }
    }
    answers.announce(signals);
    return again;
  }

  /**
   * Most batches repeat nothing, and those that do find out by the unique key of step results; only
   * these pay for the care that repetitions need.
   */
  private Answers writeAsNew(Batch batch, Handoff.Offer offer) {
    try {
      return write(batch, offer, true);
    } catch (DatabaseException failure) {
      if (!failure.isDuplicate() || batch.completions.isEmpty()) {
        throw failure;
      }
      return write(batch, offer, false);
    }
  }

  private Answers write(Batch batch, Handoff.Offer offer, boolean expectNew) {
    try {
      return database.inTransaction(tx -> write(tx, batch, offer, expectNew));
    } catch (RuntimeException | Error failure) {
      offer.failed();
      throw failure;
    }
  }

  /** The others of the batch are committed and answered: a failure here is these tickets' own. */
  private void writeAgain(List<Ticket<Command<?>>> tickets, int round) {
    if (tickets.isEmpty()) {
      return;
    }
    if (round > ROUNDS) {
      refuse(tickets, new EngineException(ErrorCode.OVERLOADED, TOO_MANY_COMPETE));
      return;
    }
    try {
      writeAgain(writeOnce(tickets, Set.of()), round + 1);
    } catch (DatabaseException failure) {
      refuse(tickets, DatabaseFailures.toRefusal(failure));
    }
  }

  private static void refuse(List<Ticket<Command<?>>> tickets, RuntimeException refusal) {
    tickets.forEach(ticket -> ticket.answer().completeExceptionally(refusal));
  }

  private Answers write(Transaction tx, Batch batch, Handoff.Offer offer, boolean expectNew) {
    Answers answers = new Answers();
    offer.begin();
    HeldRuns runs =
        HeldRuns.lock(tx, runStore, ceiling, batch.touched, batch.ending, batch.suspects);
    runs.tellStops(answers);
    Instant now = clock.instant();
    startRuns(tx, batch, runs, answers, now);
    handOver(tx, offer, answers, now);
    if (!batch.items.isEmpty()) {
      items.write(tx, batch.items, runs, answers, now);
    }
    if (!batch.beginnings.isEmpty()) {
      steps.begin(tx, batch.beginnings, runs, answers, now);
    }
    if (!batch.completions.isEmpty()) {
      steps.complete(tx, batch.completions, runs, answers, expectNew, now);
    }
    if (!batch.failures.isEmpty()) {
      failures.write(tx, batch.failures, runs, answers, now);
    }
    // After what cancels waits, so that no event goes to one that has lost a race.
    if (!batch.events.isEmpty()) {
      events.write(tx, batch.events, runs, answers, now);
    }
    if (!batch.suspensions.isEmpty()) {
      suspensions.write(tx, batch.suspensions, runs, answers, now);
    }
    if (!batch.states.isEmpty()) {
      states.write(tx, batch.states, runs, answers, now);
    }
    if (!batch.finishes.isEmpty()) {
      finishes.write(tx, batch.finishes, runs, answers, now);
    }
    if (!batch.cancels.isEmpty()) {
      cancels.write(tx, batch.cancels, runs, answers, now);
    }
    if (!batch.releases.isEmpty()) {
      releases.write(tx, batch.releases, runs, answers, now);
    }
    readAwaited(tx, answers);
    return answers;
  }

  /** New runs that nobody waits for here are announced to all. */
  private static void handOver(Transaction tx, Handoff.Offer offer, Answers answers, Instant now) {
    List<Handoff.Born> ready = new ArrayList<>();
    for (Handoff.Born born : answers.born()) {
      Instant availableAt = born.run().availableAt();
      if (availableAt.isAfter(born.run().createdAt())) {
        answers.workDueAt(born.target().queue(), availableAt);
      } else {
        ready.add(born);
      }
    }
    Set<RunId> handed = ready.isEmpty() ? Set.of() : offer.claim(tx, ready, answers.tally(), now);
    for (Handoff.Born born : ready) {
      if (!handed.contains(born.run().runId())) {
        answers.workReady(born.target().queue());
      }
    }
  }

  /** Whoever awaits a run here is told how it ended, rather than that he may look. */
  private void readAwaited(Transaction tx, Answers answers) {
    List<RunId> awaited =
        answers.done().stream().filter(signals.done()::isAwaited).limit(MAX_AWAITED).toList();
    if (!awaited.isEmpty()) {
      runStore.findAll(tx, awaited).forEach(answers::endKnown);
    }
  }

  private void startRuns(Transaction tx, Batch batch, HeldRuns runs, Answers answers, Instant now) {
    List<Command.StartChild> fresh =
        batch.children.isEmpty() ? List.of() : children.findNew(tx, batch.children, runs, answers);
    if (batch.starts.isEmpty() && fresh.isEmpty()) {
      return;
    }
    Map<RunId, StartedRun> born =
        starts.write(
            tx, batch.starts, fresh.stream().map(Command.StartChild::child).toList(), answers, now);
    children.write(tx, fresh, born, answers, now);
  }
}
