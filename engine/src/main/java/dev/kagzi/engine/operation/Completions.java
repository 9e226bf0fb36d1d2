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

  /** Who wants to know how a run ends. Hears one of the first two, once; must not block. */
  public interface Listener {

    /** It has ended, or the time is up. */
    void ended(Run run);

    /** It cannot be read. */
    void failed(RuntimeException failure);

    /** Everybody has been told who hears of the same commit: what was kept may be sent on. */
    default void allTold() {}
  }

  /** Someone who waits; {@link #cancel} when nobody listens any more. */
  public final class Waiter {
    private final String namespace;
    private volatile RunId runId;
    private final boolean follows;
    private final Listener listener;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final DoneSignals.Waiter signal = new Signal();
    private volatile boolean expired;
    private volatile @Nullable Future<?> limit;

    private Waiter(String namespace, RunId runId, boolean follows, Listener listener) {
      this.namespace = namespace;
      this.runId = runId;
      this.follows = follows;
      this.listener = listener;
    }

    /** The news of the end. */
    private final class Signal implements DoneSignals.Waiter {
      @Override
      public void ended(@Nullable Run run) {
        hear(run);
      }

      @Override
      public void allTold() {
        listener.allTold();
      }
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
      reads.read(namespace, runId, this::judgeAlone, this::fail);
    }

    private void judgeAlone(Run run) {
      judge(run);
      listener.allTold();
    }

    private void fail(RuntimeException failure) {
      tell(() -> listener.failed(failure));
      listener.allTold();
    }

    private void judge(Run run) {
      RunId successor = run.lineage().continuedAs();
      if (follows && successor != null) {
        follow(run.runId());
      } else if (run.status().isTerminal() || expired) {
        tell(() -> listener.ended(run));
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
              fail(failure);
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
      Consumer<Run> ended,
      Consumer<RuntimeException> failed) {
    return await(
        namespace,
        runId,
        true,
        wait,
        new Listener() {
          @Override
          public void ended(Run run) {
            ended.accept(run);
          }

          @Override
          public void failed(RuntimeException failure) {
            failed.accept(failure);
          }
        });
  }

  /**
   * The same, for this very run if it is not to be followed to its successors.
   *
   * @param follows whether a run that continues as another is not the end
   */
  public Waiter await(
      String namespace, RunId runId, boolean follows, Duration wait, Listener listener) {
    Waiter waiter = new Waiter(namespace, runId, follows, listener);
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
