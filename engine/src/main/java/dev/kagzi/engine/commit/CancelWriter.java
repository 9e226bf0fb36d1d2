package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.StopStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes cancels. A worker that holds such a run learns of it by its next call or heartbeat; a run
 * inside a saga is not ended but asked to end, whether or not a worker holds it.
 */
final class CancelWriter {

  private final Endings endings;
  private final StopStore stops = new StopStore();

  CancelWriter(Endings endings) {
    this.endings = endings;
  }

  void write(
      Transaction tx, List<Command.Cancel> commands, HeldRuns runs, Answers answers, Instant now) {
    List<StopStore.Stop> asked = new ArrayList<>();
    List<Command.Cancel> rest = new ArrayList<>();
    for (Command.Cancel command : commands) {
      LiveRun run = runs.live(command.runId());
      if (run != null && mustCompensate(command, run)) {
        asked.add(new StopStore.Stop(command.runId(), StopKind.CANCEL, command.reason()));
        answers.answer(command, new CancelOutcome.StopRequested());
        answers.workReady(run.target().queue());
      } else {
        rest.add(command);
      }
    }
    if (!asked.isEmpty()) {
      stops.request(tx, asked, now);
    }
    end(tx, rest, runs, answers, now);
  }

  private static boolean mustCompensate(Command.Cancel command, LiveRun run) {
    return run.openSagas() > 0
        && !command.terminate()
        && run.target().namespace().equals(command.namespace());
  }

  private void end(
      Transaction tx, List<Command.Cancel> commands, HeldRuns runs, Answers answers, Instant now) {
    Endings.Ended cancelled =
        endings.end(tx, commands.stream().map(CancelWriter::end).toList(), now);
    answers.ended(cancelled);
    for (Command.Cancel command : commands) {
      EndedRun ended = runs.ended(command.runId());
      if (cancelled.runs().contains(command.runId())) {
        answers.answer(command, new CancelOutcome.Cancelled());
        answers.runDone(command.runId());
      } else if (ended == null || !ended.namespace().equals(command.namespace())) {
        answers.refuse(command, Fencing.notFound(command.runId()));
      } else if (ended.status() == RunStatus.CANCELLED) {
        answers.answer(command, new CancelOutcome.Cancelled());
      } else {
        answers.answer(command, new CancelOutcome.AlreadyEnded(ended.status()));
      }
    }
  }

  private static End end(Command.Cancel command) {
    return End.fromOutside(
        command.namespace(), command.runId(), RunStatus.CANCELLED, null, command.reason());
  }
}
