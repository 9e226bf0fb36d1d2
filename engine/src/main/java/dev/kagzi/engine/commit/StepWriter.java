package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.engine.store.StepStore.Report;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes what happens to steps. */
final class StepWriter {

  private final StepStore store;

  StepWriter(StepStore store) {
    this.store = store;
  }

  void begin(
      Transaction tx,
      List<Command.BeginStep> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Beginning> held = new ArrayList<>();
    for (Command.BeginStep command : commands) {
      Beginning beginning = command.beginning();
      if (runs.isHeldUnder(beginning.fence())) {
        held.add(beginning);
        answers.answer(command, true);
      } else {
        answers.refuse(command, runs.refusal(beginning.fence()));
      }
    }
    if (!held.isEmpty()) {
      store.insertRunning(tx, held, now);
    }
  }

  void complete(
      Transaction tx,
      List<Command.CompleteStep> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Report> held =
        commands.stream()
            .filter(command -> runs.isHeldUnder(command.fence()))
            .map(command -> new Report(command.fence(), command.worker(), command.result()))
            .toList();
    Set<Step> recorded = held.isEmpty() ? Set.of() : store.insertSettled(tx, held, now);
    List<Command.CompleteStep> open = new ArrayList<>();
    for (Command.CompleteStep command : commands) {
      if (recorded.contains(step(command))) {
        answers.answer(command, new StepOutcome.Recorded());
      } else {
        open.add(command);
      }
    }
    explain(tx, open, runs, answers);
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
