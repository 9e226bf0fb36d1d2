package dev.kagzi.engine.commit;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.FailureStore;
import dev.kagzi.engine.store.FailureStore.Report;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.store.StartStore.StartedRun;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes children that are started one by one. A step starts its child once: under its parent's
 * lock it is looked up, and written down in the transaction that inserts the child. The insert goes
 * together with the starts of the batch, so that external ids are taken in one order.
 */
final class ChildWriter {

  private final ChildStore store = new ChildStore();
  private final StepStore steps = new StepStore();
  private final StartStore starts;
  private final FailureStore failures;

  ChildWriter(StartStore starts, FailureStore failures) {
    this.starts = starts;
    this.failures = failures;
  }

  /** Answers what needs no new run, and returns the rest. */
  List<Command.StartChild> findNew(
      Transaction tx, List<Command.StartChild> commands, HeldRuns runs, Answers answers) {
    List<Step> asked = commands.stream().map(ChildWriter::step).toList();
    Map<Step, RecordedStep> settled = steps.findSettled(tx, asked);
    Map<Step, RunId> children = store.findChildren(tx, asked);
    List<Command.StartChild> fresh = new ArrayList<>();
    for (Command.StartChild command : commands) {
      RecordedStep over = settled.get(step(command));
      RunId child = children.get(step(command));
      if (!runs.mayGrowUnder(command.fence())) {
        answers.refuse(command, runs.refusal(command.fence()));
      } else if (over != null) {
        answers.answer(command, new ChildOutcome.Settled(over));
      } else if (child != null) {
        answers.answer(command, new ChildOutcome.Started(child, true));
      } else {
        fresh.add(command);
      }
    }
    return fresh;
  }

  /**
   * Writes down the children that were inserted. Those that were not met a live run with their
   * external id: their steps fail.
   */
  void write(
      Transaction tx,
      List<Command.StartChild> fresh,
      Map<RunId, StartedRun> inserted,
      Answers answers,
      Instant now) {
    Map<Step, RunId> started = new HashMap<>();
    List<Command.StartChild> blocked = new ArrayList<>();
    for (Command.StartChild command : fresh) {
      RunId child = command.child().runId();
      StartedRun run = inserted.get(child);
      if (run == null) {
        blocked.add(command);
      } else {
        started.put(step(command), child);
        answers.answer(command, new ChildOutcome.Started(child, false));
        answers.runStarted(run.target());
        answers.workReady(run.target().queue());
      }
    }
    if (!started.isEmpty()) {
      store.insert(tx, started);
      store.markParents(tx, started.keySet().stream().map(Step::runId).distinct().toList());
    }
    if (!blocked.isEmpty()) {
      fail(tx, blocked, answers, now);
    }
  }

  private void fail(
      Transaction tx, List<Command.StartChild> blocked, Answers answers, Instant now) {
    Map<String, StartedRun> holders = new HashMap<>();
    starts
        .findLiveByExternalId(tx, blocked.stream().map(Command.StartChild::child).toList())
        .forEach(run ->
            holders.put(Command.Start.contested(run.target().namespace(), run.externalId()), run));
    List<Command.StartChild> failing = new ArrayList<>();
    List<Report> reports = new ArrayList<>();
    for (Command.StartChild command : blocked) {
      StartedRun holder = holders.get(new Command.Start(command.child()).contested());
      if (holder == null) {
        // What was in the way has ended meanwhile.
        answers.again(command);
      } else {
        failing.add(command);
        reports.add(report(command, holder));
      }
    }
    if (reports.isEmpty()) {
      return;
    }
    failures.insert(tx, reports, now);
    Map<Step, RecordedStep> settled =
        steps.findSettled(tx, failing.stream().map(ChildWriter::step).toList());
    for (Command.StartChild command : failing) {
      RecordedStep over = settled.get(step(command));
      if (over == null) {
        answers.refuse(command, numberUsed(command));
      } else {
        answers.answer(command, new ChildOutcome.Settled(over));
      }
    }
  }

  /** The attempt is told from others by its number, and one of this number is recorded. */
  private static EngineException numberUsed(Command.StartChild command) {
    ChildStep step = command.step();
    return new EngineException(
        ErrorCode.INVALID_ARGUMENT,
        "step.attempt: %d of step '%s' was used before (expected: one more than the last)"
            .formatted(step.attempt(), step.stepKey()));
  }

  private static Report report(Command.StartChild command, StartedRun holder) {
    NewRun child = command.child();
    ChildStep step = command.step();
    Failure error =
        new Failure(
            ErrorKind.BAD_REQUEST,
            ErrorCode.ALREADY_ACTIVE.name(),
            List.of(),
            "the live run %s has the external id '%s' (expected: one that no live run has)"
                .formatted(holder.runId(), child.request().externalId()),
            "",
            null);
    StepFailure failure =
        new StepFailure(
            step.stepKey(),
            step.attempt(),
            step.seq(),
            StepKind.CHILD_WORKFLOW,
            step.startedAt(),
            error,
            RetryPolicy.DEFAULT,
            true,
            null,
            step.traits());
    return new Report(command.fence(), command.worker(), failure, null);
  }

  private static Step step(Command.StartChild command) {
    return new Step(command.runId(), command.step().stepKey());
  }
}
