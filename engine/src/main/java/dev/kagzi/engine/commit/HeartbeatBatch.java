package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.WorkerStore;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Heartbeats of many workers in one transaction of their own, so that the results of steps never
 * wait behind them nor they behind results.
 */
public final class HeartbeatBatch implements AutoCloseable {

  /** A worker's sign of life and the runs it says it holds. */
  public record Heartbeat(Beat beat, List<Held> held) {}

  /**
   * What a worker must hear.
   *
   * @param accepted false if the worker is unknown or offline: it must register again
   * @param lost runs it no longer holds
   * @param ended how those of the lost runs ended that have
   * @param stops runs it holds that have been asked to undo their work and end
   */
  public record Reply(
      boolean accepted,
      boolean shouldDrain,
      List<Held> lost,
      Map<RunId, RunStatus> ended,
      Map<Held, StopRequest> stops) {}

  private final Database database;
  private final InstantSource clock;
  private final Duration lease;
  private final LeaseStore leases = new LeaseStore();
  private final WorkerStore workers = new WorkerStore();
  private final RunStore runs = new RunStore();
  private final Lane<Ticket<Heartbeat>> lane;

  public HeartbeatBatch(Database database, InstantSource clock, Duration lease, int maxBatch) {
    this.database = database;
    this.clock = clock;
    this.lease = lease;
    this.lane =
        new Lane<>(
            "heartbeats",
            maxBatch,
            ticket -> ticket.command().beat().worker().toString(),
            this::write);
  }

  /** Records a heartbeat and returns what the worker must hear, after the commit. */
  public Reply beat(Heartbeat heartbeat) {
    Ticket<Heartbeat> ticket = new Ticket<>(heartbeat);
    lane.submit(ticket, 1.0);
    return (Reply) Waiting.on(ticket.answer());
  }

  private void write(List<Ticket<Heartbeat>> tickets) {
    List<Reply> replies = database.inTransaction(tx -> write(tx, tickets));
    for (int i = 0; i < tickets.size(); i++) {
      tickets.get(i).answer().complete(replies.get(i));
    }
  }

  /** Workers before runs, as everybody who locks both; and only who is accepted keeps its runs. */
  private List<Reply> write(Transaction tx, List<Ticket<Heartbeat>> tickets) {
    Instant now = clock.instant();
    Map<WorkerId, Boolean> draining =
        workers.beat(tx, tickets.stream().map(ticket -> ticket.command().beat()).toList(), now);
    List<Held> held =
        tickets.stream()
            .filter(ticket -> draining.containsKey(ticket.command().beat().worker()))
            .flatMap(ticket -> ticket.command().held().stream())
            .toList();
    Map<Held, Optional<StopRequest>> extended =
        held.isEmpty() ? Map.of() : leases.extend(tx, held, lease, now);
    List<RunId> lost =
        held.stream().filter(run -> !extended.containsKey(run)).map(Held::runId).toList();
    Map<RunId, EndedRun> ended = lost.isEmpty() ? Map.of() : runs.findEnded(tx, lost);
    List<Reply> replies = new ArrayList<>();
    for (Ticket<Heartbeat> ticket : tickets) {
      replies.add(reply(ticket.command(), extended, draining, ended));
    }
    return replies;
  }

  private static Reply reply(
      Heartbeat heartbeat,
      Map<Held, Optional<StopRequest>> extended,
      Map<WorkerId, Boolean> draining,
      Map<RunId, EndedRun> ended) {
    Boolean shouldDrain = draining.get(heartbeat.beat().worker());
    List<Held> lost = new ArrayList<>();
    Map<RunId, RunStatus> ends = new HashMap<>();
    Map<Held, StopRequest> stops = new HashMap<>();
    for (Held held : heartbeat.held()) {
      Optional<StopRequest> kept = extended.get(held);
      if (kept != null) {
        kept.ifPresent(stop -> stops.put(held, stop));
        continue;
      }
      lost.add(held);
      EndedRun end = ended.get(held.runId());
      if (end != null && end.namespace().equals(heartbeat.beat().namespace())) {
        ends.put(held.runId(), end.status());
      }
    }
    return new Reply(shouldDrain != null, Boolean.TRUE.equals(shouldDrain), lost, ends, stops);
  }

  @Override
  public void close() {
    lane.close();
  }
}
