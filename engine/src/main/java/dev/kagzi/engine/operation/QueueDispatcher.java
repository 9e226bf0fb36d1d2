package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for everybody here who waits on one queue, so that a thousand waiting workers cost one
 * query. At most one claim is under way; whatever happens meanwhile (a new waiter, news of work)
 * asks for one more round after it, so no wake-up falls between two rounds.
 */
final class QueueDispatcher implements WorkSignals.Listener {

  private static final Logger log = LoggerFactory.getLogger(QueueDispatcher.class);

  /** A reply is filled up to this, or to one task. */
  private static final int MAX_REPLY_BYTES = 1024 * 1024;

  /** Slots one claim serves at most. */
  private static final int MAX_CLAIM = 100;

  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  private final QueueKey queue;
  private final Claims claims;
  private final InstantSource clock;
  private final Executor executor;
  private final Alarm alarm;
  private final ConcurrentLinkedQueue<Poll> polls = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private volatile boolean closed;

  QueueDispatcher(
      QueueKey queue, Claims claims, InstantSource clock, Executor executor, Timers timers) {
    this.queue = queue;
    this.claims = claims;
    this.clock = clock;
    this.executor = executor;
    this.alarm = new Alarm(timers, this::workReady);
  }

  void add(Poll poll) {
    polls.add(poll);
    workReady();
  }

  @Override
  public void workReady() {
    if (!closed && requests.getAndIncrement() == 0) {
      executor.execute(this::serve);
    }
  }

  @Override
  public void workDueAt(Instant at) {
    alarm.ringAfter(Duration.between(clock.instant(), at));
  }

  /** What the open polls here ask for; empty if nobody waits. */
  Set<TypeVersion> watchedTypes() {
    return polls.stream()
        .filter(Poll::isOpen)
        .flatMap(poll -> poll.request().types().stream())
        .collect(Collectors.toSet());
  }

  /** Ends all waiting: the server goes down and the workers ask another. */
  void close() {
    closed = true;
    alarm.cancel();
    polls.forEach(Poll::expire);
    polls.clear();
  }

  private void serve() {
    int served = requests.get();
    do {
      round();
      served = requests.addAndGet(-served);
    } while (served != 0);
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
        alarm.ringAfter(PAUSE_AFTER_FAILURE);
      } finally {
        putBack(waiting);
      }
    });
  }

  /** Claims for a group and removes from it whom it answered. */
  private void claimFor(List<TypeVersion> types, List<Poll> waiting) {
    List<Poll> slots = slotsOf(waiting);
    Claims.Claimed claimed = claims.claim(queue, types, workers(slots));
    claimed.nextDue().ifPresent(this::workDueAt);
    Map<Poll, List<Task>> shares = share(claimed.tasks(), slots);
    waiting.removeAll(shares.keySet());
    List<Task> undelivered = new ArrayList<>();
    shares.forEach((poll, tasks) -> undelivered.addAll(deliver(poll, tasks)));
    if (!undelivered.isEmpty()) {
      claims.giveBack(undelivered);
    }
    boolean moreMayBeDue = claimed.tasks().size() == slots.size() && !waiting.isEmpty();
    if (moreMayBeDue || !undelivered.isEmpty()) {
      workReady();
    }
  }

  /** One entry per free slot, taking turns, so that work spreads over the workers. */
  private static List<Poll> slotsOf(List<Poll> waiting) {
    List<Poll> slots = new ArrayList<>();
    for (int turn = 0; slots.size() < MAX_CLAIM; turn++) {
      int before = slots.size();
      for (Poll poll : waiting) {
        if (turn < poll.request().maxTasks() && slots.size() < MAX_CLAIM) {
          slots.add(poll);
        }
      }
      if (slots.size() == before) {
        break;
      }
    }
    return slots;
  }

  private static List<WorkerId> workers(List<Poll> slots) {
    return slots.stream().map(slot -> slot.request().worker()).toList();
  }

  /** A task belongs to the worker that the claim wrote into its row. */
  private static Map<Poll, List<Task>> share(List<Task> tasks, List<Poll> slots) {
    Map<Poll, List<Task>> shares = new LinkedHashMap<>();
    List<Poll> free = new ArrayList<>(slots);
    for (Task task : tasks) {
      int slot = 0;
      while (!free.get(slot).request().worker().equals(task.claim().worker())) {
        slot++;
      }
      shares.computeIfAbsent(free.remove(slot), poll -> new ArrayList<>()).add(task);
    }
    return shares;
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
      return poll.deliver(reply) ? rest : tasks;
    } catch (RuntimeException failure) {
      log.warn("a reply could not be handed over: {}", failure.toString());
      return tasks;
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
