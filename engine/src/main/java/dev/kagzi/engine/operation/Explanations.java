package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Explainer;
import dev.kagzi.engine.domain.Explanation;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Situation;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ExplainStore;
import dev.kagzi.engine.store.NamespaceStore;
import dev.kagzi.engine.store.RunStore;
import java.time.InstantSource;
import java.util.List;

/** Says why runs are where they are. Only reads. Thread-safe. */
public final class Explanations {

  private final Database database;
  private final InstantSource clock;
  private final RunStore runs = new RunStore();
  private final ExplainStore store = new ExplainStore();
  private final NamespaceStore namespaces = new NamespaceStore();

  public Explanations(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** A run together with the reason why it is as it is. */
  public record Explained(Run run, Explanation explanation) {}

  public Explained explain(String namespace, RunId runId) {
    Situation situation = database.inTransaction(tx -> look(tx, namespace, runId));
    return new Explained(situation.run(), Explainer.explain(situation, clock.instant()));
  }

  private Situation look(Transaction tx, String namespace, RunId runId) {
    Run run = runs.find(tx, namespace, runId).orElseThrow(() -> Fencing.notFound(runId));
    if (run.status().isTerminal()) {
      return new Situation(
          run,
          null,
          null,
          List.of(),
          List.of(),
          List.of(),
          Situation.Capacity.NONE,
          List.of(),
          null,
          true);
    }
    var live = store.findLive(tx, runId).orElse(new ExplainStore.LiveFacts(null, null));
    return new Situation(
        run,
        live.leasedAt(),
        live.divergence(),
        store.findWaits(tx, runId),
        store.findSteps(tx, runId),
        store.findWorkers(tx, run.target()),
        store.findCapacity(tx, run.target()),
        store.findElsewhere(tx, run.target()),
        store.findLastError(tx, runId).orElse(null),
        namespaces.isEnabled(tx, namespace).orElse(false));
  }
}
