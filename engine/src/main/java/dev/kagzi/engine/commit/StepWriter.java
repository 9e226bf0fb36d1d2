package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.BeginOutcome;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.BranchStore;
import dev.kagzi.engine.store.BranchStore.Cancellation;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Report;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes what happens to steps. */
final class StepWriter {

  private final StepStore store;
  private final BranchStore branches;

  StepWriter(StepStore store, BranchStore branches) {
    this.store = store;
    this.branches = branches;
  }

  void begin(
      Transaction tx,
      List<Command.BeginStep> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Command.BeginStep> held = new ArrayList<>();
    for (Command.BeginStep command : commands) {
      if (runs.isHeldUnder(command.beginning().fence())) {
        held.add(command);
      } else {
        answers.refuse(command, runs.refusal(command.beginning().fence()));
      }
    }
    if (held.isEmpty()) {
      return;
    }
    store.insertRunning(tx, held.stream().map(Command.BeginStep::beginning).toList(), now);
    Map<Step, RecordedStep> settled =
        store.findSettled(tx, held.stream().map(StepWriter::step).toList());
    for (Command.BeginStep command : held) {
      Duration timeout = command.beginning().timeout();
      answers.answer(
          command,
          new BeginOutcome(settled.get(step(command)), timeout == null ? null : now.plus(timeout)));
    }
  }

  private static Step step(Command.BeginStep command) {
    return new Step(command.runId(), command.beginning().stepKey());
  }

  /**
   * Records results.
   *
   * @param expectNew whether none of them is expected to be a repetition
   */
  void complete(
      Transaction tx,
      List<Command.CompleteStep> commands,
      HeldRuns runs,
      Answers answers,
      boolean expectNew,
      Instant now) {
    List<Report> held =
        commands.stream()
            .filter(command -> runs.mayGrowUnder(command.fence()))
            .map(command -> new Report(command.fence(), command.worker(), command.result()))
            .toList();
    Set<Step> recorded = held.isEmpty() ? Set.of() : store.insertSettled(tx, held, expectNew, now);
    List<Command.CompleteStep> open = new ArrayList<>();
    for (Command.CompleteStep command : commands) {
      LiveRun run = runs.live(command.runId());
      if (run != null && recorded.contains(step(command))) {
        answers.answer(command, new StepOutcome.Recorded());
        answers.tally().noteAttempt(run.target().workflowType(), command.result(), now);
      } else {
        open.add(command);
      }
    }
    countSagas(tx, commands, recorded, runs);
    cancel(tx, commands.stream().filter(command -> recorded.contains(step(command))).toList(), now);
    explain(tx, open, runs, answers);
  }

  private void cancel(Transaction tx, List<Command.CompleteStep> recorded, Instant now) {
    List<Cancellation> pointless = new ArrayList<>();
    for (Command.CompleteStep command : recorded) {
      command
          .cancelled()
          .forEach(
              step -> pointless.add(new Cancellation(command.fence(), command.worker(), step)));
    }
    if (!pointless.isEmpty()) {
      branches.cancel(tx, pointless, now);
    }
  }

  private void countSagas(
      Transaction tx, List<Command.CompleteStep> commands, Set<Step> recorded, HeldRuns runs) {
    Map<RunId, Integer> changes = new HashMap<>();
    for (Command.CompleteStep command : commands) {
      SagaMarker saga = command.result().saga();
      if (saga != SagaMarker.NONE && recorded.contains(step(command))) {
        changes.merge(command.runId(), saga.change(), Integer::sum);
      }
    }
    if (!changes.isEmpty()) {
      runs.sagasChanged(store.changeSagas(tx, changes));
    }
  }

  /** Nothing was written for these: repeated, settled before, or not theirs to write. */
  private void explain(
      Transaction tx, List<Command.CompleteStep> open, HeldRuns runs, Answers answers) {
    if (open.isEmpty()) {
      return;
    }
    Map<Step, RecordedStep> settled =
        store.findSettled(tx, open.stream().map(command -> step(command)).toList());
    for (Command.CompleteStep command : open) {
      RecordedStep found = settled.get(step(command));
      if (found != null
          && runs.isKnownTo(command.fence())
          && found.wasWrittenBy(
              command.result().attempt(), command.fence().epoch(), StepStatus.COMPLETED)) {
        answers.answer(command, new StepOutcome.Recorded());
      } else if (found != null && runs.isHeldUnder(command.fence())) {
        answers.answer(command, new StepOutcome.AlreadySettled(found));
      } else {
        answers.refuse(command, runs.refusal(command.fence()));
      }
    }
  }

  private static Step step(Command.CompleteStep command) {
    return new Step(command.runId(), command.result().stepKey());
  }
}
