package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs that are sent back to work, and runs that are made from others. */
final class SecondChances {

  private final World world;
  private final StartRules starts;

  SecondChances(World world, StartRules starts) {
    this.world = world;
    this.starts = starts;
  }

  String retry(@Nullable ModelRun run, @Nullable Integer expected, Instant now) {
    if (run == null) {
      return "refused RUN_NOT_FOUND";
    }
    if (expected != null && run.retries == expected + 1) {
      return "retried " + lastSuperseded(run);
    }
    if (run.isLive()) {
      return "already active";
    }
    String refusal = refusal(run, expected);
    return refusal == null ? sendBack(run, now) : "refused " + refusal;
  }

  private @Nullable String refusal(ModelRun run, @Nullable Integer expected) {
    if (expected != null && run.retries != expected) {
      return "RETRIED_BEFORE";
    }
    if (!run.status.isFailure()) {
      return run.status == RunStatus.CANCELLED ? "RUN_CANCELLED" : "RUN_TERMINAL";
    }
    boolean undone =
        run.history.stream()
            .anyMatch(
                row -> Steps.traits(row.step).compensation() && row.status == StepStatus.COMPLETED);
    if (undone) {
      return "COMPENSATED";
    }
    return world.liveWith(run.namespace, run.externalId).isPresent() ? "ALREADY_ACTIVE" : null;
  }

  private String sendBack(ModelRun run, Instant now) {
    Set<String> again = toDoAgain(run);
    for (ModelRun.Attempt row : run.history) {
      if (row.isCurrent() && again.contains(row.step)) {
        row.superseded = now;
        run.events.stream()
            .filter(event -> row.step.equals(event.consumedBy))
            .forEach(event -> event.consumedBy = null);
      }
    }
    run.deadlineAt = run.deadlineAnew(now);
    run.handBack(now);
    run.retries++;
    run.failures = 0;
    run.crashes = 0;
    run.crashesInRow = 0;
    run.settledAtCrash = 0;
    run.divergences = 0;
    run.finishedAt = null;
    run.failedStep = null;
    run.result = null;
    run.hasChildren = !run.items.isEmpty();
    run.recountSagas();
    run.items.keySet().removeIf(step -> run.settled(step).isEmpty());
    world.endedParents.remove(run.label);
    return "retried " + again.stream().sorted(Comparator.comparingInt(Steps::seq)).toList();
  }

  private static Set<String> toDoAgain(ModelRun run) {
    String failedStep = run.failedStep;
    Optional<ModelRun.Attempt> failed =
        failedStep == null ? Optional.empty() : run.latest(failedStep);
    Instant cutOff = failed.map(row -> row.finishedAt).orElse(run.finishedAt);
    int lastOfBody =
        run.history.stream()
            .filter(ModelRun.Attempt::isCurrent)
            .filter(row -> !Steps.traits(row.step).compensation())
            .mapToInt(row -> Steps.seq(row.step))
            .max()
            .orElse(Integer.MAX_VALUE);
    Set<String> again = new TreeSet<>();
    for (String step : run.history.stream().map(row -> row.step).distinct().toList()) {
      Optional<ModelRun.Attempt> row = run.latest(step);
      if (row.isEmpty()) {
        continue;
      }
      boolean cutShort =
          row.get().status == StepStatus.CANCELLED
              && cutOff != null
              && !row.get().finishedAt.isBefore(cutOff);
      int last = failed.map(found -> Steps.seq(found.step)).orElse(lastOfBody);
      if (step.equals(failedStep) || cutShort || Steps.seq(step) > last) {
        again.add(step);
      }
    }
    return again;
  }

  /** The steps that the last retry to take any out of the history has named. */
  private static List<String> lastSuperseded(ModelRun run) {
    Instant last =
        run.history.stream()
            .map(row -> row.superseded == null ? Instant.MIN : row.superseded)
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    return run.history.stream()
        .filter(row -> row.superseded != null && row.superseded.equals(last))
        .map(row -> row.step)
        .distinct()
        .sorted(Comparator.comparingInt(Steps::seq))
        .toList();
  }

  String fork(@Nullable ModelRun origin, Op.Fork op, Instant now) {
    if (origin == null) {
      return "refused RUN_NOT_FOUND";
    }
    String from = op.fromStep();
    if (from != null && !hasStep(origin, from)) {
      return "refused INVALID_ARGUMENT";
    }
    ModelRun run =
        starts.born(
            op.tag(), origin.namespace, origin.type, origin.queue, origin.version, null, now);
    run.limit = origin.limit;
    run.attempts = origin.attempts;
    run.handled = origin.handled;
    run.handlerFor = origin.handlerFor;
    run.forkedFrom = origin.label;
    run.deadlineAt = origin.deadlineAnew(now);
    if (from != null) {
      copy(origin, run, Steps.seq(from));
    }
    return "forked %s with %d steps".formatted(run.label, run.history.size());
  }

  private static boolean hasStep(ModelRun run, String step) {
    return run.begun.containsKey(step)
        || run.waits.containsKey(step)
        || run.history.stream().anyMatch(row -> row.step.equals(step));
  }

  private static void copy(ModelRun origin, ModelRun run, int beforeSeq) {
    for (ModelRun.Attempt row : new ArrayList<>(origin.history)) {
      boolean cutShort =
          row.status == StepStatus.CANCELLED
              && origin.finishedAt != null
              && !row.finishedAt.isBefore(origin.finishedAt);
      if (row.settled && row.isCurrent() && Steps.seq(row.step) < beforeSeq && !cutShort) {
        var copied =
            new ModelRun.Attempt(row.step, row.number, row.status, true, 0, row.finishedAt);
        copied.result = row.result;
        copied.timedOut = row.timedOut;
        run.history.add(copied);
        ModelRun.Item item = origin.items.get(row.step);
        if (item != null) {
          ModelRun.Item same = new ModelRun.Item(item.child);
          same.end = item.end;
          same.output = item.output;
          run.items.put(row.step, same);
        }
      }
    }
    run.recountSagas();
  }
}
