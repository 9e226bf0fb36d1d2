package dev.kagzi.engine.commit;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ContinuationStore;
import dev.kagzi.engine.store.ContinuationStore.Continuation;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs that end so that another goes on: both in one transaction. */
final class Continuations {

  private final TimeOrderedIds ids;
  private final ContinuationStore store = new ContinuationStore();

  Continuations(InstantSource clock) {
    this.ids = new TimeOrderedIds(clock);
  }

  /** Hands on what others have brought or wait for, while the runs are still live and locked. */
  Map<RunId, Continuation> prepare(Transaction tx, List<Command.Finish> held) {
    Map<RunId, Continuation> found = new LinkedHashMap<>();
    for (Command.Finish command : held) {
      if (command.ending() instanceof RunEnding.Continued ending) {
        found.put(
            command.runId(),
            new Continuation(
                command.runId(),
                new RunId(ids.next()),
                ending.input(),
                ending.version(),
                ending.taskQueue()));
      }
    }
    if (!found.isEmpty()) {
      store.handOn(tx, found.values());
    }
    return found;
  }

  /** Starts the successors, after the live rows that had their external ids are gone. */
  List<RunTarget> start(Transaction tx, Collection<Continuation> continued, Instant now) {
    return continued.isEmpty() ? List.of() : store.insert(tx, continued, now);
  }
}
