package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ClaimStore.Watched;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Brings waiting workers and due runs together, one {@link QueueDispatcher} per watched queue. */
public final class Dispatcher implements AutoCloseable {

  /** Work that has been due for less may be on its way to a worker. */
  private static final Duration LATE = Duration.ofMillis(250);

  private final Claims claims;
  private final InstantSource clock;
  private final WorkSignals signals;
  private final Telemetry telemetry;
  private final Timers timers;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentMap<QueueKey, QueueDispatcher> queues = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public static Dispatcher over(
      Database database,
      InstantSource clock,
      Duration lease,
      WorkSignals signals,
      Timers timers,
      Telemetry telemetry) {
    return new Dispatcher(
        new Claims(database, clock, lease, telemetry), clock, signals, timers, telemetry);
  }

  private Dispatcher(
      Claims claims, InstantSource clock, WorkSignals signals, Timers timers, Telemetry telemetry) {
    this.claims = claims;
    this.clock = clock;
    this.signals = signals;
    this.timers = timers;
    this.telemetry = telemetry;
    signals.handOverBy(() -> new Handover(claims, run -> queues.get(run.queue())));
  }

  /** Lets a worker wait for work; the listener hears exactly once unless the poll is cancelled. */
  Poll poll(Poll.Request request, Duration wait, Poll.Listener listener) {
    if (closed) {
      throw new EngineException(ErrorCode.SHUTTING_DOWN, "this server is shutting down");
    }
    Poll poll = new Poll(request, listener, timers, wait);
    // Added inside, so that the queue cannot be given up between the look and the addition.
    queues.compute(
        request.queue(),
        (queue, known) -> {
          QueueDispatcher dispatcher = known == null ? open(queue) : known;
          dispatcher.add(poll);
          return dispatcher;
        });
    return poll;
  }

  private QueueDispatcher open(QueueKey queue) {
    QueueDispatcher dispatcher = new QueueDispatcher(queue, claims, clock, executor, timers);
    signals.listen(queue, dispatcher);
    return dispatcher;
  }

  /** Looks once at all watched queues, for work that no news announced. */
  public void lookForWork() {
    hear(claims.dueQueues(watched()));
  }

  /** The same within a transaction of somebody else's, whose commit nobody waits for. */
  public void lookForWork(Transaction tx) {
    hear(claims.dueQueues(tx, watched()));
  }

  private List<Watched> watched() {
    queues.keySet().forEach(this::giveUpIfForsaken);
    List<Watched> watched = new ArrayList<>();
    queues.values().forEach(dispatcher -> watched.addAll(dispatcher.watched()));
    return watched;
  }

  private void hear(Map<QueueKey, Instant> due) {
    Instant late = clock.instant().minus(LATE);
    due.forEach((queue, dueAt) -> {
      signals.heard(queue, dueAt);
      if (dueAt.isBefore(late)) {
        telemetry.newsMissed();
      }
    });
  }

  /** Claims for everybody who waits, for a time that was moved and rings no bell. */
  public void claimNow() {
    queues.values().forEach(QueueDispatcher::workReady);
  }

  /** Queue names come from callers: what nobody polls any more must not stay. */
  private void giveUpIfForsaken(QueueKey queue) {
    queues.computeIfPresent(
        queue,
        (name, dispatcher) -> {
          if (!dispatcher.isForsaken()) {
            return dispatcher;
          }
          signals.forget(queue, dispatcher);
          dispatcher.close();
          return null;
        });
  }

  /** How many queues are watched here. */
  int watchedQueues() {
    return queues.size();
  }

  /** Answers everybody who waits and hands out nothing more. */
  @Override
  public void close() {
    closed = true;
    queues.values().forEach(QueueDispatcher::close);
    executor.close();
  }
}
