package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore;
import dev.kagzi.engine.store.FinishStore.Finish;
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
    List<Finish> held =
        commands.stream()
            .filter(command -> runs.isHeldUnder(command.fence()))
            .map(command -> new Finish(command.fence(), command.ending()))
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
}
