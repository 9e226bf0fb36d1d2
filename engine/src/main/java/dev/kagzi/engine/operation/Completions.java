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
    private final RunId runId;
    private final Consumer<Run> listener;
    private final Consumer<RuntimeException> failed;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final Runnable signal = this::answer;
    private volatile @Nullable Future<?> limit;

    private Waiter(
        String namespace, RunId runId, Consumer<Run> listener, Consumer<RuntimeException> failed) {
      this.namespace = namespace;
      this.runId = runId;
      this.listener = listener;
      this.failed = failed;
    }

    /** The first look: nobody waits for a run that has ended, or that is not there. */
    private void look(Duration wait) {
      reads.read(
          namespace,
          runId,
          run -> {
            if (run.status().isTerminal() || wait.isZero()) {
              tell(() -> listener.accept(run));
            } else {
              waitFor(wait);
            }
          },
          failure -> tell(() -> failed.accept(failure)));
    }

    private void waitFor(Duration wait) {
      limit = timers.cancellable(wait, signal);
      if (answered.get()) {
        forget();
      }
    }

    /** Called by whoever brings the news, who must not be held up by the reading. */
    private void answer() {
      reads.read(
          namespace,
          runId,
          run -> tell(() -> listener.accept(run)),
          failure -> tell(() -> failed.accept(failure)));
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

    private void forget() {
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
    Waiter waiter = new Waiter(namespace, runId, listener, failed);
    // Subscribed before the look, so that an end between the two is not missed.
    signals.await(runId, waiter.signal);
    waiter.look(wait);
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
