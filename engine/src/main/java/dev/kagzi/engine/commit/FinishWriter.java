package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore;
import dev.kagzi.engine.store.FinishStore.End;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes the ends of runs. */
final class FinishWriter {

  private final FinishStore store;

  FinishWriter(FinishStore store) {
    this.store = store;
  }

  void write(
      Transaction tx, List<Command.Finish> commands, HeldRuns runs, Answers answers, Instant now) {
    List<End> held =
        commands.stream()
            .filter(command -> runs.isHeldUnder(command.fence()))
            .map(FinishWriter::end)
            .toList();
    Set<RunId> ended = held.isEmpty() ? Set.of() : store.moveToHistory(tx, held, now);
    for (Command.Finish command : commands) {
      if (ended.contains(command.runId())) {
        answers.answer(command, true);
        answers.runDone(command.runId());
      } else if (isRepeated(command, runs.ended(command.runId()))) {
        answers.answer(command, true);
      } else {
        answers.refuse(command, runs.refusal(command.fence()));
      }
    }
  }

  private static boolean isRepeated(Command.Finish command, @Nullable EndedRun ended) {
    return ended != null
        && ended.epoch() == command.fence().epoch()
        && ended.status() == command.ending().status()
        && ended.namespace().equals(command.fence().namespace());
  }

  private static End end(Command.Finish command) {
    Fence fence = command.fence();
    return switch (command.ending()) {
      case RunEnding.Completed completed ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              RunStatus.COMPLETED,
              completed.output(),
              null,
              null,
              null);
      case RunEnding.Failed failed ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              RunStatus.FAILED,
              null,
              failed.error(),
              failed.failedStepKey(),
              null);
    };
  }
}
