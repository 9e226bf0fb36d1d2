package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.wakeup.DoneSignals;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waiting for the ends of runs, without a thread or a connection for each who waits. */
public final class Completions implements AutoCloseable {

  private final Database database;
  private final Workflows workflows;
  private final DoneSignals signals;
  private final Timers timers;
  private final RunStore runs = new RunStore();
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

  public Completions(Database database, Workflows workflows, DoneSignals signals, Timers timers) {
    this.database = database;
    this.workflows = workflows;
    this.signals = signals;
    this.timers = timers;
  }

  /** Someone who waits; {@link #cancel} when nobody listens any more. */
  public final class Waiter {
    private final String namespace;
    private final RunId runId;
    private final Consumer<Run> listener;
    private final Consumer<RuntimeException> failed;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final Runnable signal = this::answerSoon;
    private volatile @Nullable Future<?> limit;

    private Waiter(
        String namespace, RunId runId, Consumer<Run> listener, Consumer<RuntimeException> failed) {
      this.namespace = namespace;
      this.runId = runId;
      this.listener = listener;
      this.failed = failed;
    }

    /** Called by whoever brings the news, who must not be held up by the reading. */
    private void answerSoon() {
      executor.execute(this::answer);
    }

    private void answer() {
      if (!answered.compareAndSet(false, true)) {
        return;
      }
      forget();
      try {
        listener.accept(workflows.get(namespace, runId));
      } catch (RuntimeException failure) {
        failed.accept(failure);
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
   * Answers with the run as soon as it has ended, or as it then is when the time is up.
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
    try {
      if (workflows.get(namespace, runId).status().isTerminal() || wait.isZero()) {
        waiter.answer();
        return waiter;
      }
    } catch (RuntimeException failure) {
      waiter.cancel();
      throw failure;
    }
    waiter.limit = timers.cancellable(wait, waiter.signal);
    if (waiter.answered.get()) {
      waiter.forget();
    }
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
    executor.close();
  }
}
