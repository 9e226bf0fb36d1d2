package dev.kagzi.server.metrics;

import dev.kagzi.engine.domain.Backlog;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What waits in the database. Looked at when somebody asks, but not more often than every so many
 * seconds, and nobody waits for a database that does not answer: then there are no figures, and the
 * one that says so. Thread-safe.
 */
final class BacklogGauges {

  static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(BacklogGauges.class);

  /** A look that takes longer is shown to whoever asks next. */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final Supplier<Backlog> look;
  private final BooleanSupplier databaseUp;
  private final LongSupplier nanos;
  private final MultiGauge ready;
  private final MultiGauge oldestAge;
  private final MultiGauge workers;
  private final AtomicReference<@Nullable CompletableFuture<Void>> underWay =
      new AtomicReference<>();
  private volatile double schedulesLate = Double.NaN;
  private volatile boolean failed;
  private volatile @Nullable Long lookedAt;

  BacklogGauges(
      MeterRegistry registry,
      Supplier<Backlog> look,
      BooleanSupplier databaseUp,
      LongSupplier nanos) {
    this.look = look;
    this.databaseUp = databaseUp;
    this.nanos = nanos;
    this.ready =
        MultiGauge.builder("kagzi.queue.ready")
            .description("Runs that could be claimed now")
            .register(registry);
    this.oldestAge =
        MultiGauge.builder("kagzi.queue.oldest.age")
            .description("For how long the oldest of them could have been")
            .baseUnit("seconds")
            .register(registry);
    this.workers =
        MultiGauge.builder("kagzi.queue.workers")
            .description("Workers that are online")
            .register(registry);
    Gauge.builder("kagzi.schedules.late", this, self -> self.schedulesLate)
        .description("Schedules that should have fired more than 10 seconds ago")
        .register(registry);
    Gauge.builder("kagzi.database.up", this, self -> self.isUp() ? 1 : 0)
        .description("Whether the database answers")
        .register(registry);
  }

  private boolean isUp() {
    return databaseUp.getAsBoolean() && !failed;
  }

  /** Looks if it is time to; returns soon in any case. */
  void refresh() {
    if (!databaseUp.getAsBoolean()) {
      forget();
      return;
    }
    Long last = lookedAt;
    if (last != null && nanos.getAsLong() - last < INTERVAL.toNanos()) {
      return;
    }
    try {
      look().get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException slow) {
      log.debug("the look at the queues takes longer than {}", LIMIT);
    } catch (ExecutionException failure) {
      log.debug("could not look at the queues: {}", String.valueOf(failure.getCause()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Joins the look that is under way: a database that hangs holds one thread, not many. */
  private CompletableFuture<Void> look() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> others = underWay.compareAndExchange(null, mine);
    if (others != null) {
      return others;
    }
    Thread.ofVirtual().name("kagzi-backlog").start(() -> lookAndTell(mine));
    return mine;
  }

  private void lookAndTell(CompletableFuture<Void> waiting) {
    try {
      show(look.get());
      failed = false;
      lookedAt = nanos.getAsLong();
      underWay.set(null);
      waiting.complete(null);
    } catch (RuntimeException | Error failure) {
      failed = true;
      forget();
      underWay.set(null);
      waiting.completeExceptionally(failure);
    }
  }

  private synchronized void show(Backlog backlog) {
    show(ready, backlog.queues(), Backlog.Queue::ready);
    show(oldestAge, backlog.queues(), queue -> queue.oldestAge().toMillis() / 1000.0);
    show(workers, backlog.queues(), Backlog.Queue::workersOnline);
    schedulesLate = backlog.schedulesLate();
  }

  private static void show(
      MultiGauge gauge, List<Backlog.Queue> queues, ToDoubleFunction<Backlog.Queue> value) {
    List<MultiGauge.Row<?>> rows =
        queues.stream().<MultiGauge.Row<?>>map(queue -> row(queue, value)).toList();
    gauge.register(rows, true);
  }

  private static MultiGauge.Row<?> row(Backlog.Queue queue, ToDoubleFunction<Backlog.Queue> value) {
    Tags tags =
        Tags.of("namespace", queue.key().namespace(), "task_queue", queue.key().taskQueue());
    return MultiGauge.Row.of(tags, value.applyAsDouble(queue));
  }

  /** What was true of a database that has gone is not shown as if it still were. */
  private synchronized void forget() {
    for (MultiGauge gauge : List.of(ready, oldestAge, workers)) {
      gauge.register(List.of(), true);
    }
    schedulesLate = Double.NaN;
    lookedAt = null;
  }
}
