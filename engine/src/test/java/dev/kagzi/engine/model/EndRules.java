package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.WaitKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How runs end, and what that means to others. */
final class EndRules {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** An end about to be written. */
  record End(
      ModelRun run, RunStatus status, @Nullable String result, @Nullable String failedStep) {}

  private final World world;
  private final StartRules starts;
  private final WaitRules waits;

  EndRules(World world, StartRules starts, WaitRules waits) {
    this.world = world;
    this.starts = starts;
    this.waits = waits;
  }

  void end(ModelRun run, RunStatus status, @Nullable String result, Instant now) {
    endAll(List.of(new End(run, status, result, null)), now);
  }

  /** All that end together have ended before anybody hears of it. */
  void endAll(List<End> ends, Instant now) {
    ends.forEach(end -> close(end, now));
    tellParents(ends, now);
    for (End end : ends) {
      ModelRun run = end.run();
      if (run.status.isFailure() && run.handlerFor == null && run.handled) {
        starts.handler(run, now);
      }
    }
  }

  private void close(End end, Instant now) {
    ModelRun run = end.run();
    run.begun.forEach((step, begun) ->
        run.record(
            new ModelRun.Attempt(
                step, begun.attempt(), StepStatus.CANCELLED, true, begun.epoch(), now)));
    run.waits.forEach((step, wait) -> {
      if (wait.kind() != WaitKind.RETRY) {
        run.record(
            new ModelRun.Attempt(
                step, run.nextAttempt(step), StepStatus.CANCELLED, true, run.epoch, now));
      }
    });
    run.begun.clear();
    run.waits.clear();
    run.status = end.status();
    run.result = end.result();
    run.failedStep = end.failedStep();
    run.finishedAt = now;
    run.availableAt = null;
    run.leaseUntil = null;
    run.waitReason = null;
    run.stop = null;
    run.stopAt = null;
    run.openSagas = 0;
    if (run.hasChildren) {
      world.endedParents.add(run.label);
    }
  }

  private void tellParents(List<End> ends, Instant now) {
    Map<String, List<WaitRules.Ended>> news = new TreeMap<>();
    for (End end : ends) {
      ModelRun child = end.run();
      ModelRun parent = child.parent == null ? null : world.runs.get(child.parent);
      if (parent == null || child.continuedAs != null) {
        continue;
      }
      parent.items.forEach((step, item) -> {
        if (item.child.equals(child.label) && item.end == null) {
          item.end = end.status();
          item.output = end.status() == RunStatus.COMPLETED ? end.result() : null;
          news.computeIfAbsent(parent.label, label -> new ArrayList<>())
              .add(WaitRules.ended(step, item));
        }
      });
    }
    news.forEach((label, over) -> {
      ModelRun parent = world.runs.get(label);
      if (parent != null) {
        waits.end(parent, over, now);
      }
    });
  }

  String cancel(@Nullable ModelRun run, boolean terminate, Instant now) {
    ModelRun target = run;
    while (target != null) {
      if (target.isLive()) {
        if (target.openSagas > 0 && !terminate) {
          requestStop(target, StopKind.CANCEL, now);
          return "stop requested";
        }
        end(target, RunStatus.CANCELLED, null, now);
        return "cancelled";
      }
      if (target.status == RunStatus.CANCELLED) {
        return "cancelled";
      }
      ModelRun last = lastOf(target);
      if (last == target) {
        return "ended before " + target.status;
      }
      target = last;
    }
    return "refused RUN_NOT_FOUND";
  }

  /** The end of a chain; where its next link has been deleted, nothing. */
  private @Nullable ModelRun lastOf(ModelRun run) {
    ModelRun last = run;
    while (last != null && last.continuedAs != null) {
      last = world.runs.get(last.continuedAs);
    }
    return last;
  }

  /** The first request counts. Who could not be claimed any more is new to those who look. */
  private static void requestStop(ModelRun run, StopKind kind, Instant now) {
    if (run.stop != null) {
      return;
    }
    run.stop = kind;
    run.stopAt = now;
    run.waitReason = null;
    if (run.status != RunStatus.RUNNING) {
      run.status = RunStatus.PENDING;
      Instant at = run.availableAt;
      boolean late = run.deadlineAt != null && !run.deadlineAt.isAfter(now);
      run.availableAt = at != null && at.isBefore(now) && !late ? at : now;
    }
  }

  void enforceDeadlines(Instant now) {
    List<End> ends = new ArrayList<>();
    for (ModelRun run : world.live().toList()) {
      StopKind stop = run.stop;
      Instant stopAt = run.stopAt;
      if (stop != null && stopAt != null) {
        if (!stopAt.plus(PATIENCE).isAfter(now)) {
          ends.add(new End(run, stop.end(), "TIMEOUT", null));
        }
      } else if (run.deadlineAt != null && !run.deadlineAt.isAfter(now)) {
        if (run.openSagas > 0) {
          requestStop(run, StopKind.TIMEOUT, now);
        } else {
          ends.add(new End(run, RunStatus.TIMED_OUT, "TIMEOUT", null));
        }
      }
    }
    endAll(ends, now);
  }

  /** Cancels what ended parents have left behind, and what that leaves behind. */
  void closeChildren(Instant now) {
    while (!world.endedParents.isEmpty()) {
      List<String> parents = List.copyOf(world.endedParents);
      List<ModelRun> orphans =
          world
              .live()
              .filter(run -> run.parent != null && parents.contains(run.parent))
              .filter(run -> run.close == ParentClosePolicy.CANCEL)
              .filter(run -> run.stop == null)
              .toList();
      orphans.forEach(orphan -> cancel(orphan, false, now));
      world.endedParents.removeAll(parents);
    }
  }

  String finish(ModelRun run, int epoch, Op.Finish op, Instant now) {
    return run.isHeldUnder(epoch) ? finishHeld(run, op, now) : finishAgain(run, epoch, op);
  }

  private String finishHeld(ModelRun run, Op.Finish op, Instant now) {
    boolean failed = status(op.how()) == RunStatus.FAILED;
    boolean again = failed && op.failedStep() == null && run.stop == null;
    if (again && op.how() == Op.How.FAILED && run.failures + 1 < run.attempts) {
      waits.interrupt(run, now);
      run.failures++;
      run.handBack(now.plus(Steps.backoff(Steps.RUN_BACKOFF, run.failures)));
      run.waitReason = "RETRY";
      return "retry at " + run.availableAt;
    }
    if (run.openSagas > 0) {
      return "refused SAGA_OPEN";
    }
    if (op.how() == Op.How.CONTINUED) {
      return goOn(run, now);
    }
    RunStatus status = status(op.how());
    String result = status == RunStatus.COMPLETED ? "done" : "UNKNOWN";
    endAll(List.of(new End(run, status, result, failed ? op.failedStep() : null)), now);
    return "ended " + run.status;
  }

  private String goOn(ModelRun run, Instant now) {
    run.continuedAs = run.label + "+";
    endAll(List.of(new End(run, RunStatus.COMPLETED, null, null)), now);
    ModelRun next = starts.successor(run, now);
    for (ModelRun.Event event : List.copyOf(run.events)) {
      if (event.consumedBy == null) {
        run.events.remove(event);
        next.events.add(event);
      }
    }
    world.runs.values().stream()
        .flatMap(other -> other.items.values().stream())
        .filter(item -> item.child.equals(run.label))
        .forEach(item -> item.child = next.label);
    return "continued as " + next.label;
  }

  private static RunStatus status(Op.How how) {
    return switch (how) {
      case COMPLETED, CONTINUED -> RunStatus.COMPLETED;
      case FAILED, FAILED_FOR_GOOD -> RunStatus.FAILED;
      case STOPPED -> RunStatus.CANCELLED;
      case OUT_OF_TIME -> RunStatus.TIMED_OUT;
    };
  }

  /** The repetition of an end whose answer was lost is answered as the first time. */
  private static String finishAgain(ModelRun run, int epoch, Op.Finish op) {
    RunStatus status = status(op.how());
    if (run.isLive()
        && run.status == RunStatus.PENDING
        && run.epoch == epoch
        && status == RunStatus.FAILED) {
      return "retry at " + run.availableAt;
    }
    boolean same =
        run.status == status
            && run.epoch == epoch
            && (run.continuedAs != null) == (op.how() == Op.How.CONTINUED);
    if (same) {
      return run.continuedAs == null ? "ended " + run.status : "continued as " + run.continuedAs;
    }
    return Fences.refusal(run);
  }
}
