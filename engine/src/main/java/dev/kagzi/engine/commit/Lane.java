package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.jdbc.DatabaseException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that takes whatever has queued up and writes it in one transaction. A caller who would
 * wait anyway and finds nobody there may write his own ticket himself, in a turn of his own.
 *
 * <p>Who comes alone goes at once, and batches form by themselves while the previous commit is on
 * its way. After a batch of many, as many are expected again, because most callers come back with
 * their next result as soon as they have their answer: the lane waits for them, but never longer
 * than the last commit took. On a busy machine that halves the number of transactions, each of
 * which costs more than the rows of several callers.
 *
 * <p>At most one ticket per subject is in a batch; a second one waits for the next, in order. If a
 * value is to blame for a failure, the batch is halved until the bad ticket is alone, so that
 * nobody pays for his neighbour.
 */
final class Lane<T extends Ticket<?>> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Lane.class);
  private static final int CAPACITY = 20_000;

  /** How long a lane that is being closed may still write. */
  private static final Duration LAST_TURN = Duration.ofSeconds(10);

  /**
   * Who would wait longer than this for new work to be taken hears at once that he should come
   * back: callers give up after some seconds, and what is written for nobody keeps others waiting.
   */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** The share of the last full batch in what is believed of the next. */
  private static final double NEWEST = 0.2;

  /** No caller pays more than this for the company of others. */
  private static final Duration LONGEST_PATIENCE = Duration.ofMillis(2);

  private final LinkedBlockingQueue<T> queue = new LinkedBlockingQueue<>();
  private final Map<String, Deque<T>> postponed = new LinkedHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final Function<T, String> subject;
  private final Consumer<List<T>> writer;
  private final int maxBatch;
  private final long longestPatience;
  private final Thread thread;

  /** Whoever has it may write. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile boolean closed;
  private volatile boolean abandoned;
  private boolean idle;

  /** How many nanoseconds a full batch takes lately; 0 as long as there was none. */
  private volatile long fullBatchNanos;

  /** How many the last batch had, and for how many nanoseconds as many are waited for again. */
  private int expected;

  private long patience;

  /**
   * @param writer writes a batch in one transaction and answers every ticket in it, or throws and
   *     answers none
   */
  Lane(String name, int maxBatch, Function<T, String> subject, Consumer<List<T>> writer) {
    this(name, maxBatch, LONGEST_PATIENCE, subject, writer);
  }

  Lane(
      String name,
      int maxBatch,
      Duration longestPatience,
      Function<T, String> subject,
      Consumer<List<T>> writer) {
    this.maxBatch = maxBatch;
    this.longestPatience = longestPatience.toNanos();
    this.subject = subject;
    this.writer = writer;
    this.thread = Thread.ofPlatform().name("kagzi-commit-" + name).daemon().unstarted(this::run);
    thread.start();
  }

  /**
   * Queues a ticket.
   *
   * @param urgency between 0 and 1: how full the lane may be for this ticket to be taken still; of
   *     less than 1 it may not wait long either
   * @throws EngineException if the lane is too full or closed
   */
  void submit(T ticket, double urgency) {
    if (closed) {
      throw shuttingDown();
    }
    int ahead = waiting.get();
    if (ahead >= CAPACITY * urgency || (urgency < 1 && takesLong(ahead))) {
      throw new EngineException(
          ErrorCode.OVERLOADED,
          "%d writes are waiting for the database; try again in a moment".formatted(ahead));
    }
    waiting.incrementAndGet();
    queue.add(ticket);
    if (closed && queue.remove(ticket)) {
      waiting.decrementAndGet();
      throw shuttingDown();
    }
  }

  /**
   * Writes a ticket on the calling thread and has it answered, if nothing waits or is being written
   * here.
   *
   * @return false if something is; nothing has been done then
   */
  boolean writeHere(T ticket) {
    if (waiting.get() > 0 || !turn.tryLock()) {
      return false;
    }
    try {
      // What the lane's thread has taken is counted until that thread has the turn.
      if (waiting.get() > 0 || closed) {
        return false;
      }
      writeAndAnswer(List.of(ticket));
    } catch (RuntimeException | Error bug) {
      log.error("a caller survived an unexpected failure of his commit", bug);
    } finally {
      turn.unlock();
    }
    return true;
  }

  private boolean takesLong(int ahead) {
    return ahead / maxBatch * fullBatchNanos > LONGEST_WAIT.toNanos();
  }

  private void run() {
    while (!abandoned && (!closed || waiting.get() > 0)) {
      try {
        List<T> batch = nextBatch();
        if (!batch.isEmpty()) {
          writeInTurn(batch);
        }
      } catch (InterruptedException interrupted) {
        // Only close() interrupts, and the loop's condition has the last word.
      } catch (RuntimeException | Error bug) {
        log.error("a commit lane survived an unexpected failure", bug);
      }
    }
    refuseTheRest();
  }

  private void writeInTurn(List<T> batch) {
    turn.lock();
    try {
      waiting.addAndGet(-batch.size());
      long begun = System.nanoTime();
      writeAndAnswer(batch);
      long took = System.nanoTime() - begun;
      expected = batch.size();
      patience = Math.min(longestPatience, took);
      notePace(batch.size(), took);
    } finally {
      turn.unlock();
    }
  }

  private void notePace(int size, long took) {
    if (size == maxBatch) {
      long before = fullBatchNanos;
      fullBatchNanos = before == 0 ? took : (long) (before + NEWEST * (took - before));
    }
  }

  private List<T> nextBatch() throws InterruptedException {
    List<T> batch = new ArrayList<>();
    Set<String> subjects = new HashSet<>();
    takePostponed(batch, subjects);
    if (batch.isEmpty()) {
      T first = waitForOne();
      if (first == null) {
        return batch;
      }
      take(first, batch, subjects);
    }
    long patientUntil = System.nanoTime() + patience;
    T next;
    while (batch.size() < maxBatch && (next = next(batch.size(), patientUntil)) != null) {
      take(next, batch, subjects);
    }
    return batch;
  }

  /** The next ticket that has queued, or that is worth waiting for. */
  private @Nullable T next(int taken, long patientUntil) throws InterruptedException {
    T ready = queue.poll();
    if (ready != null || taken >= expected || closed) {
      return ready;
    }
    return queue.poll(patientUntil - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** Waits a while; close() may cut the waiting short, but never disturbs a write. */
  private @Nullable T waitForOne() throws InterruptedException {
    setIdle(true);
    try {
      return closed ? queue.poll() : queue.poll(1, TimeUnit.SECONDS);
    } finally {
      setIdle(false);
    }
  }

  private synchronized void setIdle(boolean nowIdle) {
    idle = nowIdle;
    if (!nowIdle) {
      Thread.interrupted();
    }
  }

  private synchronized void interruptIfIdle() {
    if (idle) {
      thread.interrupt();
    }
  }

  /** The oldest postponed ticket of each subject. */
  private void takePostponed(List<T> batch, Set<String> subjects) {
    Iterator<Map.Entry<String, Deque<T>>> entries = postponed.entrySet().iterator();
    while (entries.hasNext() && batch.size() < maxBatch) {
      Map.Entry<String, Deque<T>> entry = entries.next();
      batch.add(entry.getValue().removeFirst());
      subjects.add(entry.getKey());
      if (entry.getValue().isEmpty()) {
        entries.remove();
      }
    }
  }

  private void take(T ticket, List<T> batch, Set<String> subjects) {
    String about = subject.apply(ticket);
    if (!postponed.containsKey(about) && subjects.add(about)) {
      batch.add(ticket);
    } else {
      postponed.computeIfAbsent(about, key -> new ArrayDeque<>()).addLast(ticket);
    }
  }

  private void writeAndAnswer(List<T> batch) {
    try {
      write(batch);
    } finally {
      batch.forEach(Lane::conclude);
    }
  }

  /** One who fails at what he does with his answer must not keep others from theirs. */
  private static void conclude(Ticket<?> ticket) {
    try {
      ticket.afterwards().run();
    } catch (RuntimeException bug) {
      log.error("an answer was not passed on", bug);
    }
  }

  private void write(List<T> batch) {
    try {
      writer.accept(batch);
    } catch (DatabaseException failure) {
      if (failure.isDataFault() && batch.size() > 1) {
        int half = batch.size() / 2;
        write(batch.subList(0, half));
        write(batch.subList(half, batch.size()));
      } else {
        RuntimeException refusal = DatabaseFailures.toRefusal(failure);
        batch.forEach(ticket -> ticket.answer().completeExceptionally(refusal));
      }
    } catch (RuntimeException | Error bug) {
      batch.forEach(ticket -> ticket.answer().completeExceptionally(bug));
      throw bug;
    }
  }

  private static EngineException shuttingDown() {
    return new EngineException(ErrorCode.SHUTTING_DOWN, "this server is shutting down");
  }

  private void refuseTheRest() {
    postponed.values().forEach(queue::addAll);
    postponed.clear();
    T left;
    while ((left = queue.poll()) != null) {
      left.answer().completeExceptionally(shuttingDown());
    }
  }

  /** Writes what has been queued, for as long as that makes sense, then stops. */
  @Override
  public void close() {
    closed = true;
    interruptIfIdle();
    long end = System.nanoTime() + LAST_TURN.toNanos();
    try {
      thread.join(LAST_TURN.toMillis());
      abandoned = true;
      // Callers who write themselves find the lane closed now, but for one who has begun.
      if (turn.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        turn.unlock();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    abandoned = true;
  }
}
