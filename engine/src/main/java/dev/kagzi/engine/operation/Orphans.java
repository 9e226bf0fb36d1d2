package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ParentStore;
import dev.kagzi.engine.store.ParentStore.Orphan;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels the children of runs that have ended. Not in the transaction of that end, because there
 * may be any number of them; who holds the lock of a parent's entry looks after its children. While
 * it is held the parent cannot be sent back to work.
 */
public final class Orphans {

  private static final Logger log = LoggerFactory.getLogger(Orphans.class);

  private static final int PARENTS = 100;

  /** Children cancelled before the next look. */
  private static final int CHUNK = 500;

  private final Database database;
  private final Workflows workflows;
  private final ParentStore store = new ParentStore();

  public Orphans(Database database, Workflows workflows) {
    this.database = database;
    this.workflows = workflows;
  }

  /** Looks after some ended parents; returns of how many parents and children it took care. */
  public int cancelSome() {
    return database.inTransaction(this::cancelSome);
  }

  private int cancelSome(Transaction tx) {
    List<RunId> parents = store.lockEnded(tx, PARENTS);
    if (parents.isEmpty()) {
      return 0;
    }
    List<Orphan> orphans = store.findOrphans(tx, parents, CHUNK);
    boolean done = cancel(orphans) && orphans.size() < CHUNK;
    if (done) {
      store.remove(tx, parents);
    }
    return done || !orphans.isEmpty() ? parents.size() + orphans.size() : 0;
  }

  /** All at once, so that they share transactions; says whether each is over or will be. */
  private boolean cancel(List<Orphan> orphans) {
    AtomicBoolean all = new AtomicBoolean(true);
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Orphan orphan : orphans) {
        callers.execute(() -> {
          if (!isCancelled(orphan)) {
            all.set(false);
          }
        });
      }
    }
    return all.get();
  }

  private boolean isCancelled(Orphan orphan) {
    try {
      CancelOutcome outcome =
          workflows.cancel(
              orphan.namespace(),
              orphan.runId(),
              "its parent run %s has ended".formatted(orphan.parent()));
      log.debug("child {} of {}: {}", orphan.runId(), orphan.parent(), outcome);
      return true;
    } catch (EngineException refused) {
      return refused.code() == ErrorCode.RUN_NOT_FOUND;
    } catch (DatabaseException unknown) {
      log.debug("the cancel of child {} is repeated: {}", orphan.runId(), unknown.toString());
      return false;
    }
  }
}
