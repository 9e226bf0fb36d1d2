package dev.kagzi.engine.commit;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.ChildCounts;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildMapStore;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes items of fan-outs and starts those whose turn it is. Items are told apart by their index:
 * a page that comes again adds nothing.
 */
final class ItemWriter {

  private final ChildMapStore maps;
  private final FanOuts fanOuts;
  private final ChildStore children = new ChildStore();
  private final StepStore steps = new StepStore();

  ItemWriter(ChildMapStore maps, FanOuts fanOuts) {
    this.maps = maps;
    this.fanOuts = fanOuts;
  }

  void write(
      Transaction tx,
      List<Command.AddItems> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Step> asked = commands.stream().map(ItemWriter::step).toList();
    Map<Step, RecordedStep> settled = steps.findSettled(tx, asked);
    Map<Step, ChildCounts> known = maps.find(tx, asked);
    Map<Step, ChildCounts> grown = new LinkedHashMap<>();
    for (Command.AddItems command : commands) {
      Step step = step(command);
      RecordedStep over = settled.get(step);
      ChildCounts counts = known.get(step);
      EngineException refusal = refusal(command, counts);
      if (!runs.mayGrowUnder(command.fence())) {
        answers.refuse(command, runs.refusal(command.fence()));
      } else if (over != null) {
        answers.answer(command, new ChildOutcome.Settled(over));
      } else if (refusal != null) {
        answers.refuse(command, refusal);
      } else {
        ChildCounts after = add(tx, command, counts);
        grown.put(step, after);
        answers.answer(command, new ChildOutcome.Listed(after.items(), counts != null));
      }
    }
    if (!grown.isEmpty()) {
      children.markParents(tx, grown.keySet().stream().map(Step::runId).distinct().toList());
      for (RunTarget started : fanOuts.startNext(tx, grown, now)) {
        answers.runStarted(started);
        answers.workReady(started.queue());
      }
    }
  }

  private ChildCounts add(Transaction tx, Command.AddItems command, @Nullable ChildCounts counts) {
    Step step = step(command);
    ChildMap map = command.map();
    if (counts == null && map != null) {
      maps.insert(tx, step, map);
    }
    ChildCounts before =
        counts == null && map != null
            ? new ChildCounts(0, 0, 0, false, map.maxConcurrent())
            : counts;
    if (before == null) {
      throw new IllegalStateException("a fan-out without a beginning was not refused");
    }
    ChildItems items = command.items();
    List<Payload> fresh =
        items
            .inputs()
            .subList(
                Math.min(before.items() - items.firstIndex(), items.inputs().size()),
                items.inputs().size());
    boolean completes = items.last() && !before.complete();
    if (!fresh.isEmpty() || completes) {
      maps.addItems(tx, step, before.items(), fresh, items.last());
    }
    return new ChildCounts(
        before.items() + fresh.size(),
        before.started(),
        before.ended(),
        before.complete() || items.last(),
        before.maxConcurrent());
  }

  private static @Nullable EngineException refusal(
      Command.AddItems command, @Nullable ChildCounts counts) {
    ChildItems items = command.items();
    int present = counts == null ? 0 : counts.items();
    if (counts == null && command.map() == null) {
      return invalid(command, "has no items (expected: StartChild with the first of them)");
    }
    if (items.firstIndex() > present) {
      return invalid(
          command,
          "has %d items, and these begin at %d (expected: no gap)"
              .formatted(present, items.firstIndex()));
    }
    if (items.end() > ChildItems.MOST) {
      return invalid(
          command,
          "would have %d items (expected: at most %d; use several steps)"
              .formatted(items.end(), ChildItems.MOST));
    }
    if (counts != null && counts.complete() && items.end() > present) {
      return invalid(command, "was complete with %d items".formatted(present));
    }
    return null;
  }

  private static EngineException invalid(Command.AddItems command, String what) {
    return new EngineException(
        ErrorCode.INVALID_ARGUMENT,
        "items: step '%s' of run %s %s".formatted(command.stepKey(), command.runId(), what));
  }

  private static Step step(Command.AddItems command) {
    return new Step(command.runId(), command.stepKey());
  }
}
