package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.EventStore;
import dev.kagzi.engine.store.EventStore.Delivery;
import dev.kagzi.engine.store.EventStore.EventKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes events. They are kept first and then given to the waits that ask for them; since the run
 * is locked, whoever goes to wait either has written his wait before or finds the event after.
 */
final class EventWriter {

  /** How many events a run may keep that it has not asked for. */
  static final int MAX_UNCONSUMED = 10_000;

  private final EventStore events;
  private final WaitEndings endings;

  EventWriter(EventStore events, WaitEndings endings) {
    this.events = events;
    this.endings = endings;
  }

  void write(
      Transaction tx,
      List<Command.SendEvent> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Command.SendEvent> welcome = new ArrayList<>();
    Map<Command.SendEvent, EngineException> refused = new HashMap<>();
    Map<RunId, Integer> room = room(tx, commands, runs);
    for (Command.SendEvent command : commands) {
      LiveRun run = runs.live(command.runId());
      if (run == null || !run.target().namespace().equals(command.namespace())) {
        refused.put(command, refusal(command, runs));
      } else if (room.merge(command.runId(), -1, Integer::sum) < 0) {
        refused.put(command, full(command));
      } else {
        welcome.add(command);
      }
    }
    if (!welcome.isEmpty()) {
      deliver(tx, welcome, answers, now);
    }
    if (!refused.isEmpty()) {
      refuse(tx, refused, answers);
    }
  }

  private Map<RunId, Integer> room(
      Transaction tx, List<Command.SendEvent> commands, HeldRuns runs) {
    Set<RunId> live =
        commands.stream()
            .map(Command.SendEvent::runId)
            .filter(runId -> runs.live(runId) != null)
            .collect(Collectors.toSet());
    Map<RunId, Integer> room = new HashMap<>();
    if (!live.isEmpty()) {
      events.countUnconsumed(tx, live).forEach((run, kept) -> room.put(run, MAX_UNCONSUMED - kept));
    }
    return room;
  }

  private void deliver(
      Transaction tx, List<Command.SendEvent> welcome, Answers answers, Instant now) {
    Set<EventKey> fresh =
        events.insert(tx, welcome.stream().map(EventWriter::delivery).toList(), now);
    for (Command.SendEvent command : welcome) {
      boolean isFresh = fresh.contains(delivery(command).key());
      answers.answer(command, isFresh ? EventOutcome.DELIVERED : EventOutcome.ALREADY_DELIVERED);
    }
    Set<RunId> told =
        fresh.stream().map(EventKey::runId).collect(Collectors.toCollection(HashSet::new));
    if (!told.isEmpty()) {
      answers.woken(endings.end(tx, events.consume(tx, told, now), now));
    }
  }

  /** The repetition of one that was delivered is answered, whatever has become of its run. */
  private void refuse(
      Transaction tx, Map<Command.SendEvent, EngineException> refused, Answers answers) {
    Set<EventKey> known =
        events.findDelivered(tx, refused.keySet().stream().map(EventWriter::delivery).toList());
    refused.forEach((command, refusal) -> {
      if (known.contains(delivery(command).key())) {
        answers.answer(command, EventOutcome.ALREADY_DELIVERED);
      } else {
        answers.refuse(command, refusal);
      }
    });
  }

  private static Delivery delivery(Command.SendEvent command) {
    return new Delivery(command.runId(), command.namespace(), command.event());
  }

  private static EngineException refusal(Command.SendEvent command, HeldRuns runs) {
    EndedRun ended = runs.ended(command.runId());
    if (ended == null || !ended.namespace().equals(command.namespace())) {
      return Fencing.notFound(command.runId());
    }
    return new EngineException(
        ErrorCode.RUN_TERMINAL,
        "run %s has ended (%s) and takes no event '%s' any more"
            .formatted(command.runId(), ended.status(), command.event().name()));
  }

  private static EngineException full(Command.SendEvent command) {
    return new EngineException(
        ErrorCode.TOO_MANY_EVENTS,
        ("run %s keeps %d events that it has not asked for, which is the most, and '%s' would be"
                + " one more: let it consume some, or send fewer")
            .formatted(command.runId(), MAX_UNCONSUMED, command.event().name()));
  }
}
