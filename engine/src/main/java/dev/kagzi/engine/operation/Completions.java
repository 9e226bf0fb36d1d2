package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.wakeup.DoneSignals;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waiting for the ends of runs, without a thread or a connection for each who waits. */
public final class Completions implements AutoCloseable {

  private final Database database;
  private final DoneSignals signals;
  private final Timers timers;
  private final RunReads reads;
  private final RunStore runs = new RunStore();

  public Completions(Database database, DoneSignals signals, Timers timers) {
    this.database = database;
    this.signals = signals;
    this.timers = timers;
    this.reads = new RunReads(database);
  }

  /** Someone who waits; {@link #cancel} when nobody listens any more. */
  public final class Waiter {
    private final String namespace;
    private volatile RunId runId;
    private final boolean follows;
    private final Consumer<Run> listener;
    private final Consumer<RuntimeException> failed;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final DoneSignals.Waiter signal = this::hear;
    private volatile boolean expired;
    private volatile @Nullable Future<?> limit;

    private Waiter(
        String namespace,
        RunId runId,
        boolean follows,
        Consumer<Run> listener,
        Consumer<RuntimeException> failed) {
      this.namespace = namespace;
      this.runId = runId;
      this.follows = follows;
      this.listener = listener;
      this.failed = failed;
    }

    /**
     * Nobody waits for a run that has ended, or that is not there; what was started here a moment
     * ago is there, and its end would have been heard of.
     */
    private void begin(Duration wait) {
      if (wait.isZero()) {
        expired = true;
      } else {
        limit = timers.cancellable(wait, this::expire);
      }
      if (expired || !signals.isYoung(namespace, runId)) {
        look();
      }
    }

    private void hear(@Nullable Run run) {
      if (run == null || !run.target().namespace().equals(namespace)) {
        look();
      } else {
        judge(run);
      }
    }

    private void expire() {
      expired = true;
      look();
    }

    /** Called by whoever brings the news, who must not be held up by the reading. */
    private void look() {
      reads.read(namespace, runId, this::judge, failure -> tell(() -> failed.accept(failure)));
    }

    private void judge(Run run) {
      RunId successor = run.lineage().continuedAs();
      if (follows && successor != null) {
        follow(run.runId());
      } else if (run.status().isTerminal() || expired) {
        tell(() -> listener.accept(run));
      }
    }

    /** Goes on waiting for the last run of the chain; not on the thread that reads for all. */
    private void follow(RunId ended) {
      Thread.ofVirtual()
          .name("kagzi-await")
          .start(() -> {
            try {
              retarget(database.inTransaction(tx -> runs.findLast(tx, ended)));
            } catch (RuntimeException failure) {
              tell(() -> failed.accept(failure));
            }
          });
    }

    /** Subscribed before the look, so that an end between the two is not missed. */
    private synchronized void retarget(RunId next) {
      signals.forget(runId, signal);
      runId = next;
      signals.await(next, signal);
      if (answered.get()) {
        forget();
      } else {
        look();
      }
    }

    private void tell(Runnable answer) {
      if (answered.compareAndSet(false, true)) {
        forget();
        answer.run();
      }
    }

    public void cancel() {
      answered.set(true);
      forget();
    }

    private synchronized void forget() {
      signals.forget(runId, signal);
      Future<?> pending = limit;
      if (pending != null) {
        pending.cancel(false);
      }
    }
  }

  /**
   * Answers with the run as soon as it has ended, or as it then is when the time is up. Does not
   * block; the answer may come before this returns.
   *
   * @param failed hears instead if the run cannot be read
   */
  public Waiter await(
      String namespace,
      RunId runId,
      Duration wait,
      Consumer<Run> listener,
      Consumer<RuntimeException> failed) {
    return await(namespace, runId, true, wait, listener, failed);
  }

  /**
   * The same, for this very run if it is not to be followed to its successors.
   *
   * @param follows whether a run that continues as another is not the end
   */
  public Waiter await(
      String namespace,
      RunId runId,
      boolean follows,
      Duration wait,
      Consumer<Run> listener,
      Consumer<RuntimeException> failed) {
    Waiter waiter = new Waiter(namespace, runId, follows, listener, failed);
    // Subscribed before the look, so that an end between the two is not missed.
    signals.await(runId, waiter.signal);
    waiter.begin(wait);
    return waiter;
  }

  /** Looks once at everything awaited here, for ends that no news announced. */
  public void lookForEnds() {
    Set<RunId> awaited = signals.awaited();
    if (!awaited.isEmpty()) {
      database.inTransaction(tx -> runs.whichHaveEnded(tx, awaited)).forEach(signals::heard);
    }
  }

  @Override
  public void close() {
    reads.close();
  }
}
