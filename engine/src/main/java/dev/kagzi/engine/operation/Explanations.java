package dev.kagzi.engine.operation;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.RetryPolicy;
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
  private final RetryPolicy otherwise;
  private final RunStore runs = new RunStore();
  private final ExplainStore store = new ExplainStore();
  private final NamespaceStore namespaces = new NamespaceStore();

  /**
   * Explains by what lies in a database.
   *
   * @param otherwise how often is tried again what nobody has said anything about
   */
  public Explanations(Database database, InstantSource clock, RetryPolicy otherwise) {
    this.database = database;
    this.clock = clock;
    this.otherwise = otherwise;
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
          0,
          true);
    }
    var live = store.findLive(tx, runId).orElse(new ExplainStore.LiveFacts(null, null));
    return new Situation(
        run,
        live.hold(),
        live.divergence(),
        store.findWaits(tx, runId, otherwise.maximumAttempts()),
        store.findSteps(tx, runId),
        store.findWorkers(tx, run.target()),
        store.findCapacity(tx, run.target()),
        store.findElsewhere(tx, run.target()),
        mostAttempts(run),
        namespaces.isEnabled(tx, namespace).orElse(false));
  }

  private int mostAttempts(Run run) {
    PartialRetryPolicy said = run.policies().retry();
    return (said == null ? otherwise : said.over(otherwise)).maximumAttempts();
  }
}
