package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WakeWhen;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Waits: how they begin, what ends them, and who is woken by that. */
final class WaitRules {

  /** A wait that is over by what it waited for. */
  record Ended(String step, StepStatus status, @Nullable String result) {}

  /** The end of a child, as the wait for it sees it. */
  static Ended ended(String step, ModelRun.Item item) {
    boolean well = item.end == RunStatus.COMPLETED;
    return new Ended(step, well ? StepStatus.COMPLETED : StepStatus.FAILED, item.output);
  }

  String send(ModelRun run, Op.Send op, Instant now) {
    boolean known = run.events.stream().anyMatch(event -> event.key.equals(op.key()));
    if (known) {
      return "ALREADY_DELIVERED";
    }
    if (!run.isLive()) {
      return "refused RUN_TERMINAL";
    }
    run.events.add(new ModelRun.Event(op.key()));
    end(run, consume(run), now);
    return "DELIVERED";
  }

  /** The n-th wait in call order gets the n-th oldest event. */
  private static List<Ended> consume(ModelRun run) {
    List<String> open =
        run.waits.entrySet().stream()
            .filter(entry -> entry.getValue().kind() == WaitKind.EVENT)
            .map(Map.Entry::getKey)
            .sorted(Comparator.comparingInt(Steps::seq))
            .toList();
    List<ModelRun.Event> fresh =
        run.events.stream().filter(event -> event.consumedBy == null).toList();
    List<Ended> over = new ArrayList<>();
    for (int i = 0; i < Math.min(open.size(), fresh.size()); i++) {
      fresh.get(i).consumedBy = open.get(i);
      over.add(new Ended(open.get(i), StepStatus.COMPLETED, fresh.get(i).key));
    }
    return over;
  }

  /** Ends those of the waits that are open, and wakes a run that sleeps for one of them. */
  void end(ModelRun run, List<Ended> over, Instant now) {
    boolean any = false;
    for (Ended ended : over) {
      any |= settle(run, ended, now);
    }
    boolean failed = over.stream().anyMatch(ended -> ended.status() != StepStatus.COMPLETED);
    Instant at = run.availableAt;
    if (any
        && run.status == RunStatus.SLEEPING
        && at != null
        && at.isAfter(now)
        && wakes(run, failed)) {
      run.availableAt = now;
    }
  }

  private static boolean wakes(ModelRun run, boolean failed) {
    boolean newsLacks = run.waits.values().stream().anyMatch(wait -> !wait.kind().isForTime());
    return run.wakeWhen == WakeWhen.ANY
        || (run.wakeWhen == WakeWhen.ALL_OR_FAILED && failed)
        || !newsLacks;
  }

  private static boolean settle(ModelRun run, Ended ended, Instant now) {
    if (run.waits.remove(ended.step()) == null) {
      return false;
    }
    var row =
        new ModelRun.Attempt(
            ended.step(), run.nextAttempt(ended.step()), ended.status(), true, run.epoch, now);
    row.result = ended.result();
    return run.record(row);
  }

  /** What the clock ends; the wait for a retry leaves no trace. */
  void endDue(ModelRun run, Instant now) {
    for (Map.Entry<String, ModelRun.Wait> entry : List.copyOf(run.waits.entrySet())) {
      ModelRun.Wait wait = entry.getValue();
      if (wait.end().isAfter(now)) {
        continue;
      }
      String step = entry.getKey();
      run.waits.remove(step);
      if (wait.kind() != WaitKind.RETRY) {
        var row =
            new ModelRun.Attempt(
                step, run.nextAttempt(step), StepStatus.COMPLETED, true, run.epoch, now);
        row.timedOut = !wait.kind().isForTime();
        run.record(row);
      }
    }
  }

  /** What ran when its worker lost the run. */
  void interrupt(ModelRun run, Instant now) {
    run.begun.forEach((step, begun) ->
        run.record(
            new ModelRun.Attempt(
                step,
                begun.attempt(),
                begun.atMostOnce() ? StepStatus.FAILED : StepStatus.INTERRUPTED,
                begun.atMostOnce(),
                begun.epoch(),
                now)));
    run.begun.clear();
  }

  String suspend(ModelRun run, int epoch, Op.Suspend op, Instant now) {
    boolean held = run.isHeldUnder(epoch);
    if (held) {
      begin(run, op, now);
    }
    boolean mayLeave = mayLeave(run, op);
    boolean released;
    if (held) {
      released = op.release() && mayLeave && run.stop == null;
      if (released) {
        release(run, op.wakeWhen());
      }
    } else if (mayLeave && run.isLive() && run.status != RunStatus.RUNNING && run.epoch == epoch) {
      released = true;
    } else {
      return Fences.refusal(run);
    }
    return (released ? "released " : "kept ") + states(run, op, now);
  }

  private void begin(ModelRun run, Op.Suspend op, Instant now) {
    endDue(run, now);
    for (Op.Wait asked : op.waits()) {
      String step = asked.step();
      if (run.settled(step).isPresent()) {
        continue;
      }
      var wait = new ModelRun.Wait(asked.kind(), until(asked, now));
      ModelRun.Wait old = run.waits.putIfAbsent(step, wait);
      if (old != null && old.kind() == WaitKind.RETRY && asked.kind() == WaitKind.RETRY) {
        run.waits.put(step, wait);
      }
    }
    if (op.waits().stream().anyMatch(asked -> asked.kind() == WaitKind.EVENT)) {
      consume(run).forEach(ended -> settle(run, ended, now));
    }
    for (Op.Wait asked : op.waits()) {
      if (asked.kind() == WaitKind.CHILD) {
        lookForChild(run, asked.step(), now);
      }
    }
    endDue(run, now);
  }

  private static void lookForChild(ModelRun run, String step, Instant now) {
    ModelRun.Item item = run.items.get(step);
    if (item == null) {
      settle(run, new Ended(step, StepStatus.FAILED, null), now);
    } else if (item.end != null) {
      settle(run, ended(step, item), now);
    }
  }

  private static @Nullable Instant until(Op.Wait asked, Instant now) {
    return asked.limit() == null ? null : now.plus(asked.limit());
  }

  private static boolean mayLeave(ModelRun run, Op.Suspend op) {
    boolean everythingLacks = true;
    boolean someNewsLacks = false;
    for (Op.Wait asked : op.waits()) {
      boolean open = run.waits.containsKey(asked.step());
      boolean forTime = asked.kind().isForTime();
      if (!open && (op.wakeWhen() == WakeWhen.ANY || forTime)) {
        return false;
      }
      Optional<ModelRun.Attempt> over = open ? Optional.empty() : run.settled(asked.step());
      if (op.wakeWhen() == WakeWhen.ALL_OR_FAILED
          && over.isPresent()
          && over.get().status != StepStatus.COMPLETED) {
        return false;
      }
      everythingLacks &= open;
      someNewsLacks |= open && !forTime;
    }
    return everythingLacks || someNewsLacks;
  }

  private static void release(ModelRun run, WakeWhen wakeWhen) {
    Instant at = ModelRun.NEVER;
    for (ModelRun.Wait wait : run.waits.values()) {
      at = wait.end().isBefore(at) ? wait.end() : at;
    }
    boolean onlyRetries =
        run.waits.values().stream().allMatch(wait -> wait.kind() == WaitKind.RETRY);
    run.handBack(at);
    run.status = onlyRetries ? RunStatus.PENDING : RunStatus.SLEEPING;
    run.waitReason = reason(run);
    run.wakeWhen = wakeWhen;
  }

  private static String reason(ModelRun run) {
    for (WaitKind kind : List.of(WaitKind.EVENT, WaitKind.CHILD, WaitKind.TIMER)) {
      if (run.waits.values().stream().anyMatch(wait -> wait.kind() == kind)) {
        return kind == WaitKind.TIMER ? "SLEEP" : kind.name();
      }
    }
    return "RETRY";
  }

  private static String states(ModelRun run, Op.Suspend op, Instant now) {
    List<String> states = new ArrayList<>();
    for (Op.Wait asked : op.waits()) {
      ModelRun.Wait open = run.waits.get(asked.step());
      Instant end = open == null ? until(asked, now) : open.until();
      String ended =
          open != null ? "-" : run.settled(asked.step()).map(row -> row.status.name()).orElse("-");
      states.add(asked.step() + " until " + end + " " + ended);
    }
    return String.join(", ", states);
  }
}
