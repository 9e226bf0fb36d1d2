package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore;
import dev.kagzi.engine.store.FinishStore.End;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Writes cancels. A worker that holds such a run learns of it by its next call or heartbeat. */
final class CancelWriter {

  private final FinishStore store;

  CancelWriter(FinishStore store) {
    this.store = store;
  }

  void write(
      Transaction tx, List<Command.Cancel> commands, HeldRuns runs, Answers answers, Instant now) {
    Set<RunId> cancelled =
        store.moveToHistory(tx, commands.stream().map(CancelWriter::end).toList(), now);
    for (Command.Cancel command : commands) {
      EndedRun ended = runs.ended(command.runId());
      if (cancelled.contains(command.runId())) {
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
