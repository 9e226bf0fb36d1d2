package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.RunStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads runs for many callers on one connection: who asks while a query is under way shares the
 * next one. Ten thousand who await runs that end together cost a few hundred queries, not ten
 * thousand connections. Thread-safe.
 */
final class RunReads implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RunReads.class);

  /** Runs read by one query; each may bring an output of two megabytes. */
  private static final int MAX_BATCH = 50;

  /** Somebody who asks. The callbacks must not block. */
  private record Asking(
      String namespace, RunId runId, Consumer<Run> found, Consumer<RuntimeException> failed) {

    void answer(@Nullable Run run) {
      if (run == null || !run.target().namespace().equals(namespace)) {
        failed.accept(Fencing.notFound(runId));
      } else {
        found.accept(run);
      }
    }
  }

  private final Database database;
  private final RunStore runs = new RunStore();
  private final ConcurrentLinkedQueue<Asking> asking = new ConcurrentLinkedQueue<>();
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final Turns turns = new Turns(executor, this::answerAll);

  RunReads(Database database) {
    this.database = database;
  }

  /** Reads a run soon; exactly one of the two hears. Does not block. */
  void read(String namespace, RunId runId, Consumer<Run> found, Consumer<RuntimeException> failed) {
    asking.add(new Asking(namespace, runId, found, failed));
    turns.ask();
  }

  private void answerAll() {
    List<Asking> batch = take();
    while (!batch.isEmpty()) {
      answer(batch);
      batch = take();
    }
  }

  private List<Asking> take() {
    List<Asking> batch = new ArrayList<>();
    Asking next;
    while (batch.size() < MAX_BATCH && (next = asking.poll()) != null) {
      batch.add(next);
    }
    return batch;
  }

  private void answer(List<Asking> batch) {
    Map<RunId, Run> found = new HashMap<>();
    try {
      List<RunId> ids = batch.stream().map(Asking::runId).distinct().toList();
      database
          .inTransaction(tx -> runs.findAll(tx, ids))
          .forEach(run -> found.put(run.runId(), run));
    } catch (RuntimeException failure) {
      batch.forEach(one -> tell(() -> one.failed().accept(failure)));
      return;
    }
    batch.forEach(one -> tell(() -> one.answer(found.get(one.runId()))));
  }

  /** One who cannot be told must not keep the others from hearing. */
  private static void tell(Runnable answer) {
    try {
      answer.run();
    } catch (RuntimeException failure) {
      log.warn("somebody who asked for a run could not be told", failure);
    }
  }

  @Override
  public void close() {
    executor.close();
  }
}
