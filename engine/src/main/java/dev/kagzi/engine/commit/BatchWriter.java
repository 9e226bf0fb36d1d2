package dev.kagzi.engine.commit;

import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FailureStore;
import dev.kagzi.engine.store.FinishStore;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.WaitStore;
import dev.kagzi.engine.wakeup.DoneSignals;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Writes a mixed batch in one transaction: locks first, then one statement per kind, step results
 * before transitions. Callers hear of it after the commit, waiters after the callers.
 */
final class BatchWriter {

  private final Database database;
  private final InstantSource clock;
  private final WorkSignals workSignals;
  private final DoneSignals doneSignals;
  private final RunStore runStore = new RunStore();
  private final StartWriter starts = new StartWriter(new StartStore());
  private final StepWriter steps = new StepWriter(new StepStore());
  private final FailureWriter failures = new FailureWriter(new FailureStore());
  private final SuspendWriter suspensions = new SuspendWriter(new WaitStore(), new StepStore());
  private final CancelWriter cancels = new CancelWriter(new FinishStore());
  private final FinishWriter finishes = new FinishWriter(new FinishStore());
  private final ReleaseWriter releases = new ReleaseWriter(new ReleaseStore(), new StepStore());

  BatchWriter(
      Database database, InstantSource clock, WorkSignals workSignals, DoneSignals doneSignals) {
    this.database = database;
    this.clock = clock;
    this.workSignals = workSignals;
    this.doneSignals = doneSignals;
  }

  void write(List<Ticket<Command<?>>> tickets) {
    Batch batch = Batch.of(tickets);
    Answers answers = database.inTransaction(tx -> write(tx, batch));
    tickets.forEach(answers::give);
    answers.announce(workSignals, doneSignals);
  }

  private Answers write(Transaction tx, Batch batch) {
    Answers answers = new Answers();
    HeldRuns runs = HeldRuns.lock(tx, runStore, batch.touched);
    Instant now = clock.instant();
    if (!batch.starts.isEmpty()) {
      starts.write(tx, batch.starts, answers);
    }
    if (!batch.beginnings.isEmpty()) {
      steps.begin(tx, batch.beginnings, runs, answers, now);
    }
    if (!batch.completions.isEmpty()) {
      steps.complete(tx, batch.completions, runs, answers, now);
    }
    if (!batch.failures.isEmpty()) {
      failures.write(tx, batch.failures, runs, answers, now);
    }
    if (!batch.suspensions.isEmpty()) {
      suspensions.write(tx, batch.suspensions, runs, answers, now);
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
    return answers;
  }
}
