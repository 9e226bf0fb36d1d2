package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.LogFields;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.store.ClaimStore.Slot;
import dev.kagzi.engine.store.ClaimStore.Watched;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for everybody here who waits on one queue, so that a thousand waiting workers cost one
 * query. At most one claim is under way; whatever happens meanwhile (a new waiter, news of work)
 * asks for one more round after it, so no wake-up falls between two rounds. Who asks for what has
 * just been found to be out of stock waits for news like the others, without a query of his own.
 */
final class QueueDispatcher implements WorkSignals.Listener {

  private static final Logger log = LoggerFactory.getLogger(QueueDispatcher.class);

  /** A reply is filled up to this, or to one task. */
  private static final int MAX_REPLY_BYTES = 1024 * 1024;

  /** Slots one claim serves at most. */
  private static final int MAX_CLAIM = 100;

  /** As many kinds of workers on a queue need no query of their own when nothing is there. */
  private static final int MAX_OUT_OF_STOCK = 100;

  /** Polls that are looked at for one that fits a new run. */
  private static final int MAX_LOOKED_AT = 8;

  /** As long as news may be late: what nobody tells is also found by who waits after a second. */
  private static final Duration BELIEF = Duration.ofSeconds(1);

  /** Workers that poll again and again leave shorter gaps than this. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  /** Of these types a search found no more, when there had been so much news. */
  private record OutOfStock(long asOf, Instant until) {}

  private final QueueKey queue;
  private final Claims claims;
  private final InstantSource clock;
  private final Alarm alarm;
  private final ConcurrentLinkedQueue<Poll> polls = new ConcurrentLinkedQueue<>();
  private final ScanFloors floors = new ScanFloors();
  private final Turns turns;

  /** How often there was news of work. */
  private final AtomicLong news = new AtomicLong();

  private final Map<List<TypeVersion>, OutOfStock> outOfStock = new ConcurrentHashMap<>();
  private volatile Instant lastAsked;
  private volatile boolean closed;

  QueueDispatcher(
      QueueKey queue, Claims claims, InstantSource clock, Executor executor, Timers timers) {
    this.queue = queue;
    this.claims = claims;
    this.clock = clock;
    this.lastAsked = clock.instant();
    this.turns = new Turns(executor, this::round);
    this.alarm = new Alarm(timers, this::workReady);
  }

  void add(Poll poll) {
    lastAsked = clock.instant();
    polls.add(poll);
    ask();
  }

  @Override
  public void workReady() {
    news.incrementAndGet();
    ask();
  }

  /** Called behind commits, which must not suffer from a dispatcher that is just being closed. */
  private void ask() {
    if (closed) {
      return;
    }
    try {
      turns.ask();
    } catch (RejectedExecutionException closing) {
      log.debug("queue {} is watched no more", queue.taskQueue());
    }
  }

  @Override
  public void workDueAt(Instant at) {
    alarm.ringAfter(Duration.between(clock.instant(), at));
  }

  /** What the open polls here ask for; empty if nobody waits. */
  List<Watched> watched() {
    Set<TypeVersion> types =
        polls.stream()
            .filter(Poll::isOpen)
            .flatMap(poll -> poll.request().types().stream())
            .collect(Collectors.toSet());
    return floors.scans(types, clock.instant()).stream()
        .map(scan -> new Watched(queue, scan))
        .toList();
  }

  /** Whether nobody has asked for work for a while, and nobody waits for any. */
  boolean isForsaken() {
    return clock.instant().isAfter(lastAsked.plus(PATIENCE))
        && turns.isIdle()
        && polls.stream().noneMatch(Poll::isOpen);
  }

  /** Ends all waiting: the server goes down and the workers ask another. */
  void close() {
    closed = true;
    alarm.cancel();
    polls.forEach(Poll::expire);
    polls.clear();
  }

  boolean serves(QueueKey other) {
    return queue.equals(other);
  }

  /**
   * Takes a poll for a run that is about to be started; none if something older may be due, which
   * goes first. Give it back by {@link #handOver} or {@link #putBack}.
   */
  @Nullable Poll takeFor(TypeVersion type) {
    List<Poll> others = new ArrayList<>();
    Poll found = null;
    Poll poll;
    while (found == null && others.size() < MAX_LOOKED_AT && (poll = polls.poll()) != null) {
      boolean fits = poll.wants(type) && poll.isLookedUp() && isOutOfStock(poll.request().types());
      if (fits && !closed && poll.take()) {
        found = poll;
      } else {
        others.add(poll);
      }
    }
    if (!others.isEmpty()) {
      polls.addAll(others);
      ask();
    }
    return found;
  }

  /** Gives a poll that was taken what was claimed for it. Does not block. */
  void handOver(Poll poll, List<Task> tasks) {
    List<Task> undelivered = deliver(poll, tasks);
    if (!undelivered.isEmpty()) {
      // Not by the executor, which is closed before the last starts are committed.
      Thread.ofVirtual().name("kagzi-give-back").start(() -> giveBack(undelivered));
    }
  }

  private void giveBack(List<Task> undelivered) {
    try {
      claims.giveBack(undelivered);
      workReady();
    } catch (RuntimeException failure) {
      log.warn(
          "{} runs could not be given back and wait for their leases to end: {}",
          undelivered.size(),
          failure.toString());
    }
  }

  /** Lets a poll that was taken wait for something else. */
  void putBack(Poll poll) {
    putBack(List.of(poll));
    ask();
  }

  /** Serves every group of polls; the failure of one is no other's. */
  private void round() {
    Map<List<TypeVersion>, List<Poll>> groups = new LinkedHashMap<>();
    Poll poll;
    while ((poll = polls.poll()) != null) {
      if (poll.take()) {
        groups.computeIfAbsent(poll.request().types(), types -> new ArrayList<>()).add(poll);
      }
    }
    groups.forEach((types, group) -> {
      List<Poll> waiting = new ArrayList<>(group);
      try {
        claimFor(types, waiting);
      } catch (RuntimeException | Error failure) {
        log.warn("claiming from queue {} failed: {}", queue.taskQueue(), failure.toString());
        waiting.forEach(Poll::inDoubt);
        alarm.ringAfter(PAUSE_AFTER_FAILURE);
      } finally {
        putBack(waiting);
      }
    });
  }

  /** Claims for a group and removes from it whom it answered. */
  private void claimFor(List<TypeVersion> types, List<Poll> waiting) {
    List<Poll> fresh = waiting.stream().filter(poll -> !poll.isLookedUp()).toList();
    long newsBefore = news.get();
    if (fresh.isEmpty() && isOutOfStock(types)) {
      return;
    }
    List<Slot> slots = slotsOf(waiting);
    Claims.Claimed claimed =
        claims.claim(new Claims.Demand(queue, types, slots, slotSet(fresh)), floors);
    noteStock(types, claimed.more(), newsBefore);
    fresh.forEach(Poll::lookedUp);
    claimed.nextDue().ifPresent(this::workDueAt);
    List<Task> undelivered = handOut(claimed.tasks(), waiting);
    if (!undelivered.isEmpty()) {
      claims.giveBack(undelivered);
    }
    if ((claimed.more() && !waiting.isEmpty()) || !undelivered.isEmpty()) {
      workReady();
    }
  }

  private boolean isOutOfStock(List<TypeVersion> types) {
    OutOfStock known = outOfStock.get(types);
    return known != null && known.asOf() == news.get() && clock.instant().isBefore(known.until());
  }

  private void noteStock(List<TypeVersion> types, boolean more, long newsBefore) {
    outOfStock.remove(types);
    if (!more && outOfStock.size() < MAX_OUT_OF_STOCK) {
      outOfStock.put(types, new OutOfStock(newsBefore, clock.instant().plus(BELIEF)));
    }
  }

  private static Set<Slot> slotSet(List<Poll> polls) {
    return polls.stream().map(poll -> poll.request().slot()).collect(Collectors.toSet());
  }

  /** One entry per free slot, taking turns, so that work spreads over the workers. */
  private static List<Slot> slotsOf(List<Poll> waiting) {
    List<Slot> slots = new ArrayList<>();
    for (int turn = 0; slots.size() < MAX_CLAIM; turn++) {
      int before = slots.size();
      for (Poll poll : waiting) {
        if (turn < poll.request().maxTasks() && slots.size() < MAX_CLAIM) {
          slots.add(poll.request().slot());
        }
      }
      if (slots.size() == before) {
        break;
      }
    }
    return slots;
  }

  /**
   * Answers the polls that runs were claimed for and takes them off the waiting; of two with one
   * claim id the first, who may be gone. Returns what nobody took.
   */
  private static List<Task> handOut(Map<UUID, List<Task>> claimed, List<Poll> waiting) {
    List<Task> undelivered = new ArrayList<>();
    Map<UUID, List<Task>> open = new HashMap<>(claimed);
    for (Poll poll : List.copyOf(waiting)) {
      List<Task> tasks = open.remove(poll.request().claimId());
      if (tasks != null) {
        waiting.remove(poll);
        undelivered.addAll(deliver(poll, tasks));
      }
    }
    open.values().forEach(undelivered::addAll);
    return undelivered;
  }

  /** Hands over what fits into one reply and returns the rest, or everything if nobody is there. */
  private static List<Task> deliver(Poll poll, List<Task> tasks) {
    List<Task> reply = new ArrayList<>();
    List<Task> rest = new ArrayList<>();
    int bytes = 0;
    for (Task task : tasks) {
      bytes += task.size();
      (reply.isEmpty() || bytes <= MAX_REPLY_BYTES ? reply : rest).add(task);
    }
    try {
      if (!poll.deliver(reply)) {
        return tasks;
      }
      reply.forEach(task -> logDispatch(task, poll));
      return rest;
    } catch (RuntimeException failure) {
      log.warn("a reply could not be handed over: {}", failure.toString());
      return tasks;
    }
  }

  private static void logDispatch(Task task, Poll poll) {
    if (log.isDebugEnabled()) {
      RunId runId = task.claim().runId();
      String type = task.claim().target().workflowType();
      LogFields.of(runId, type)
          .with(() ->
              log.debug(
                  "dispatched workflow {}: run {}, epoch {}, to worker {}",
                  type,
                  runId,
                  task.claim().epoch(),
                  poll.request().worker()));
    }
  }

  private void putBack(Collection<Poll> waiting) {
    for (Poll poll : waiting) {
      if (closed) {
        poll.expire();
      }
      if (poll.putBack()) {
        polls.add(poll);
      }
    }
  }
}
