package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StateStore;
import dev.kagzi.engine.store.StateStore.Publication;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes what runs show to clients: of the values of a name the one that is farthest on. */
final class StateWriter {

  /** How many names a run may use, also those that it has removed. */
  static final int MAX_NAMES = 100;

  private final StateStore store;

  StateWriter(StateStore store) {
    this.store = store;
  }

  void write(
      Transaction tx,
      List<Command.PublishState> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    Set<RunId> runIds =
        commands.stream().map(Command.PublishState::runId).collect(Collectors.toSet());
    Map<RunId, Map<String, Long>> known = store.findSequences(tx, runIds);
    List<Publication> newer = new ArrayList<>();
    for (Command.PublishState command : commands) {
      Publication wanted = command.publication();
      Map<String, Long> names = known.computeIfAbsent(command.runId(), id -> new HashMap<>());
      Long last = names.get(wanted.name());
      if (!runs.isHeldUnder(wanted.fence())) {
        answers.refuse(command, runs.refusal(wanted.fence()));
      } else if (last == null && names.size() >= MAX_NAMES) {
        answers.refuse(command, tooMany(wanted));
      } else if (last == null || last < wanted.sequence()) {
        names.put(wanted.name(), wanted.sequence());
        newer.add(wanted);
        answers.answer(command, true);
      } else {
        // The same place again is the repetition of a call whose answer was lost.
        answers.answer(command, last == wanted.sequence());
      }
    }
    if (!newer.isEmpty()) {
      store.publish(tx, newer, now);
    }
  }

  private static EngineException tooMany(Publication wanted) {
    return new EngineException(
        ErrorCode.TOO_MANY_STATES,
        "run %s has published under %d names, which is the most, and '%s' would be one more"
            .formatted(wanted.fence().runId(), MAX_NAMES, wanted.name()));
  }
}
