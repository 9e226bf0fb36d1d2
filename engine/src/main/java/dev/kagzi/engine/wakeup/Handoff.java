package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The short way to a worker: a run that is started while somebody waits for such runs, and for
 * nothing older, is claimed by the transaction that inserts it, and not by another one after it.
 */
@FunctionalInterface
public interface Handoff {

  /** Nobody waits. */
  Handoff TO_NOBODY = () -> Nothing.NOTHING;

  /** What a batch hands out, one for each; begun anew with each try of its transaction. */
  Offer offer();

  /** A run that has just been inserted. */
  record Born(NewRun run, RunTarget target) {}

  /** Workers that are kept waiting for the outcome of a transaction. Not thread-safe. */
  interface Offer {

    /** The transaction begins, possibly again: whoever was kept waiting need not wait for it. */
    void begin();

    /** Claims those of the runs that somebody waits for, and says which. */
    Set<RunId> claim(Transaction tx, List<Born> runs, Tally tally, Instant now);

    /** The transaction is committed: the workers hear of their runs. Does not block. */
    void committed();

    /** The transaction has failed, or nobody knows whether it has. */
    void failed();
  }

  /** Of no use to anybody. */
  enum Nothing implements Offer {
    /** The only one there is. */
    NOTHING;

    @Override
    public void begin() {}

    @Override
    public Set<RunId> claim(Transaction tx, List<Born> runs, Tally tally, Instant now) {
      return Set.of();
    }

    @Override
    public void committed() {}

    @Override
    public void failed() {}
  }
}
