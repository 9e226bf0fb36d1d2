package dev.kagzi.engine.operation;

import dev.kagzi.engine.commit.Command;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.PublishedState;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.StateStore;
import java.util.List;

/** What clients tell runs, and what runs tell clients. */
public final class Messages {

  /** How often a run that ends in the moment in which it is sent something is looked for again. */
  private static final int TRIES = 3;

  private final Database database;
  private final GroupCommit commits;
  private final Namespaces namespaces;
  private final Workflows workflows;
  private final StateStore states = new StateStore();

  public Messages(
      Database database, GroupCommit commits, Namespaces namespaces, Workflows workflows) {
    this.database = database;
    this.commits = commits;
    this.namespaces = namespaces;
    this.workflows = workflows;
  }

  /** An event that a run has. */
  public record Sent(RunId runId, EventOutcome outcome) {}

  /**
   * Sends an event to a live run. Repeating it with its idempotency key is harmless. A namespace
   * that is disabled lets its runs finish, and what they wait for reaches them.
   */
  public Sent send(String namespace, RunId runId, EventMessage event) {
    namespaces.requireKnown(namespace);
    return new Sent(runId, commits.commit(new Command.SendEvent(namespace, runId, event)));
  }

  /** The same to the live run with an external id. */
  public Sent send(String namespace, String externalId, EventMessage event) {
    RunId runId = workflows.idOf(namespace, externalId);
    for (int tries = 1; ; tries++) {
      try {
        return send(namespace, runId, event);
      } catch (EngineException refusal) {
        RunId now = workflows.idOf(namespace, externalId);
        if (refusal.code() != ErrorCode.RUN_TERMINAL || now.equals(runId) || tries == TRIES) {
          throw refusal;
        }
        runId = now;
      }
    }
  }

  /**
   * Starts a run that is sent an event with its start, in one transaction. Where a live run has the
   * external id, that one is sent the event.
   */
  public StartOutcome start(StartRequest request) {
    EventMessage event = request.firstEvent();
    for (int tries = 1; ; tries++) {
      StartOutcome outcome = workflows.start(request);
      if (event == null || !(outcome instanceof StartOutcome.AlreadyExists found)) {
        return outcome;
      }
      try {
        send(request.namespace(), found.runId(), event);
        return outcome;
      } catch (EngineException refusal) {
        boolean endedMeanwhile =
            refusal.code() == ErrorCode.RUN_TERMINAL && !found.status().isTerminal();
        if (!endedMeanwhile || tries == TRIES) {
          throw refusal;
        }
      }
    }
  }

  /** A run with what it shows. */
  public record Shown(Run run, List<PublishedState> states) {}

  /**
   * What a run shows, whether it is live or has ended.
   *
   * @param names only these; empty means all
   */
  public Shown states(String namespace, RunId runId, List<String> names) {
    Run run = workflows.get(namespace, runId);
    return new Shown(run, database.inTransaction(tx -> states.find(tx, runId, names)));
  }
}
