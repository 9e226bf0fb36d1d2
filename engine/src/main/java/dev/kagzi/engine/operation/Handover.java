package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ClaimStore;
import dev.kagzi.engine.store.ClaimStore.Assignment;
import dev.kagzi.engine.wakeup.Handoff;
import dev.kagzi.engine.wakeup.Handoff.Born;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The polls that one batch of starts has taken, and what they are given. A poll that is repeated
 * finds by its claim id what was claimed for it, whatever becomes of this server after the commit.
 */
final class Handover implements Handoff.Offer {

  private static final class Seat {
    private final QueueDispatcher queue;
    private final Poll poll;
    private int room;

    Seat(QueueDispatcher queue, Poll poll) {
      this.queue = queue;
      this.poll = poll;
      this.room = poll.request().maxTasks();
    }
  }

  private final Claims claims;
  private final Function<RunTarget, @Nullable QueueDispatcher> dispatchers;
  private final List<Seat> seats = new ArrayList<>();
  private final Map<UUID, List<Task>> tasks = new LinkedHashMap<>();

  /**
   * For one batch.
   *
   * @param dispatchers who looks after the queue of a run, if anybody does
   */
  Handover(Claims claims, Function<RunTarget, @Nullable QueueDispatcher> dispatchers) {
    this.claims = claims;
    this.dispatchers = dispatchers;
  }

  @Override
  public void begin() {
    failed();
  }

  @Override
  public Set<RunId> claim(Transaction tx, List<Born> runs, Tally tally, Instant now) {
    Map<RunId, Born> assigned = new HashMap<>();
    List<Assignment> assignments = new ArrayList<>();
    Set<RunTarget> nobodyWaits = new HashSet<>();
    for (Born born : runs) {
      Seat seat = nobodyWaits.contains(born.target()) ? null : seatFor(born.target());
      if (seat == null) {
        nobodyWaits.add(born.target());
      } else {
        seat.room--;
        assigned.put(born.run().runId(), born);
        assignments.add(new Assignment(born.run().runId(), seat.poll.request().slot()));
      }
    }
    if (assignments.isEmpty()) {
      return Set.of();
    }
    for (ClaimStore.Claimed claimed : claims.claimNew(tx, assignments, now)) {
      keep(claimed, assigned, tally);
    }
    assigned.keySet().retainAll(claimedRuns());
    return assigned.keySet();
  }

  private void keep(ClaimStore.Claimed claimed, Map<RunId, Born> assigned, Tally tally) {
    Born born = assigned.get(claimed.claim().runId());
    if (born != null) {
      tasks
          .computeIfAbsent(claimed.claimId(), id -> new ArrayList<>())
          .add(new Task(claimed.claim(), born.run().request().input(), HistoryPage.EMPTY));
      tally.note(to -> to.claimed(born.target().queue(), Duration.ZERO));
    }
  }

  private Set<RunId> claimedRuns() {
    Set<RunId> runs = new HashSet<>();
    tasks.values().forEach(list -> list.forEach(task -> runs.add(task.claim().runId())));
    return runs;
  }

  private @Nullable Seat seatFor(RunTarget run) {
    TypeVersion type = new TypeVersion(run.workflowType(), run.version());
    for (Seat seat : seats) {
      if (seat.room > 0 && seat.queue.serves(run.queue()) && seat.poll.wants(type)) {
        return seat;
      }
    }
    QueueDispatcher dispatcher = dispatchers.apply(run);
    Poll poll = dispatcher == null ? null : dispatcher.takeFor(type);
    if (dispatcher == null || poll == null) {
      return null;
    }
    Seat seat = new Seat(dispatcher, poll);
    seats.add(seat);
    return seat;
  }

  @Override
  public void committed() {
    for (Seat seat : seats) {
      List<Task> given = tasks.get(seat.poll.request().claimId());
      if (given == null) {
        seat.queue.putBack(seat.poll);
      } else {
        seat.queue.handOver(seat.poll, given);
      }
    }
    clear();
  }

  /** What may have been claimed all the same is found when the polls are looked up. */
  @Override
  public void failed() {
    for (Seat seat : seats) {
      if (tasks.containsKey(seat.poll.request().claimId())) {
        seat.poll.inDoubt();
      }
      seat.queue.putBack(seat.poll);
    }
    clear();
  }

  private void clear() {
    seats.clear();
    tasks.clear();
  }
}
