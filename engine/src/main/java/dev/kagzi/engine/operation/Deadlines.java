package dev.kagzi.engine.operation;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.commit.Endings;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.OverdueStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StopStore;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs that have run out of time, in whatever live state they are. */
public final class Deadlines {

  private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

  private static final String DEADLINE_PASSED =
      "Workflow execution timeout exceeded: its deadline has passed";

  /** Runs ended in one transaction; the rest follows in the next turn. */
  private static final int LIMIT = 1000;

  /** What one transaction did, to be announced after its commit. */
  private record Done(Endings.Ended ended, Set<QueueKey> ready, int seen) {}

  private final Database database;
  private final InstantSource clock;
  private final Endings endings;
  private final Signals signals;
  private final OverdueStore store = new OverdueStore();
  private final RunStore runs = new RunStore();
  private final StopStore stops = new StopStore();

  public Deadlines(Database database, InstantSource clock, Endings endings, Signals signals) {
    this.database = database;
    this.clock = clock;
    this.endings = endings;
    this.signals = signals;
  }

  /** Ends what is overdue, or asks it to end; returns how many runs that were. */
  public int enforce() {
    int seen = 0;
    Done turn;
    do {
      turn = database.inTransaction(this::enforce);
      turn.ready().forEach(signals.work()::workReady);
      turn.ended().announce(signals);
      seen += turn.seen();
    } while (turn.seen() == LIMIT);
    return seen;
  }

  private Done enforce(Transaction tx) {
    Instant now = clock.instant();
    Instant stoppedBefore = now.minus(StopRequest.PATIENCE);
    List<RunId> found = store.findOverdueRuns(tx, stoppedBefore, LIMIT, now);
    if (found.isEmpty()) {
      return new Done(Endings.Ended.nothing(), Set.of(), 0);
    }
    runs.lock(tx, found, found);
    // Read again under the locks: somebody may have ended them in between.
    List<LiveRun> overdue = store.readOverdueRuns(tx, found, stoppedBefore, now);
    List<End> ends = new ArrayList<>();
    List<StopStore.Stop> asked = new ArrayList<>();
    Set<QueueKey> ready = new HashSet<>();
    for (LiveRun run : overdue) {
      if (run.stop() == null && run.openSagas() > 0) {
        asked.add(new StopStore.Stop(run.runId(), StopKind.TIMEOUT, DEADLINE_PASSED));
        ready.add(run.target().queue());
      } else {
        ends.add(end(run));
      }
    }
    if (!asked.isEmpty()) {
      stops.request(tx, asked, now);
    }
    Endings.Ended ended = endings.end(tx, ends, now);
    if (!overdue.isEmpty()) {
      log.info("{} runs have run out of time", overdue.size());
    }
    return new Done(ended, ready, found.size());
  }

  private static End end(LiveRun run) {
    StopRequest stop = run.stop();
    if (stop == null) {
      return end(run, RunStatus.TIMED_OUT, DEADLINE_PASSED);
    }
    log.error("run {} is ended although its compensations have not finished", run.runId());
    return end(run, stop.kind().end(), "its compensations have not finished in time");
  }

  private static End end(LiveRun run, RunStatus status, String why) {
    Failure error =
        new Failure(ErrorKind.TIMEOUT, ErrorKind.TIMEOUT.text(), List.of(), why, "", null);
    return End.fromOutside(run.target().namespace(), run.runId(), status, error, null);
  }
}
