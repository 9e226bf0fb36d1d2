package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.WaitKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What workers report about steps, and what becomes of steps that nobody ends. */
final class StepRules {

  private static final Duration GRACE = Duration.ofMillis(500);

  private final World world;
  private final StartRules starts;
  private final WaitRules waits;

  StepRules(World world, StartRules starts, WaitRules waits) {
    this.world = world;
    this.starts = starts;
    this.waits = waits;
  }

  String begin(ModelRun run, int epoch, Op.Begin op, Instant now) {
    if (!run.isHeldUnder(epoch)) {
      return Fences.refusal(run);
    }
    Instant until = op.timeout() == null ? null : now.plus(op.timeout());
    boolean over =
        run.current(op.step()).anyMatch(row -> row.settled || row.number >= op.attempt());
    ModelRun.Begun old = run.begun.get(op.step());
    if (!over && (old == null || old.epoch() < epoch || old.attempt() < op.attempt())) {
      boolean once = old == null ? op.atMostOnce() : old.atMostOnce();
      run.begun.put(op.step(), new ModelRun.Begun(op.attempt(), epoch, op.attempts(), once, until));
    }
    return "begun, settled: " + settled(run, op.step()) + ", until " + until;
  }

  private static String settled(ModelRun run, String step) {
    return run.settled(step).map(row -> row.status + " " + row.number).orElse("no");
  }

  String complete(ModelRun run, int epoch, Op.Complete op, Instant now) {
    boolean held = run.isHeldUnder(epoch);
    if (held) {
      run.begun.remove(op.step());
      var row =
          new ModelRun.Attempt(op.step(), op.attempt(), StepStatus.COMPLETED, true, epoch, now);
      row.result = op.worker();
      if (run.record(row)) {
        run.openSagas = Math.max(0, run.openSagas + Steps.saga(op.step()).change());
        return "recorded";
      }
    }
    Optional<ModelRun.Attempt> found = run.settled(op.step());
    if (found.isPresent() && found.get().wasWrittenBy(op.attempt(), epoch, StepStatus.COMPLETED)) {
      return "recorded";
    }
    return found.isPresent() && held
        ? "settled before: " + settled(run, op.step())
        : Fences.refusal(run);
  }

  String fail(ModelRun run, int epoch, Op.Fail op, Instant now) {
    boolean held = run.isHeldUnder(epoch);
    if (held) {
      run.begun.remove(op.step());
      Instant retryAt = retryAt(run, op.step(), op.attempts(), op.fatal(), now);
      if (recordFailure(run, op.step(), op.attempt(), retryAt, now)) {
        return outcome(retryAt, now, op.attempt());
      }
    }
    Optional<ModelRun.Attempt> found = run.latest(op.step());
    if (found.isPresent() && found.get().wasWrittenBy(op.attempt(), epoch, StepStatus.FAILED)) {
      return outcome(found.get().settled ? null : found.get().retryAt, now, op.attempt());
    }
    return found.isPresent() && found.get().settled && held
        ? "settled before: " + settled(run, op.step())
        : Fences.refusal(run);
  }

  private static @Nullable Instant retryAt(
      ModelRun run, String step, int attempts, boolean fatal, Instant now) {
    int failures = run.failuresOf(step) + 1;
    return fatal || failures >= attempts
        ? null
        : now.plus(Steps.backoff(Steps.STEP_BACKOFF, failures));
  }

  private static boolean recordFailure(
      ModelRun run, String step, int attempt, @Nullable Instant retryAt, Instant now) {
    if (run.settled(step).isPresent()) {
      return false;
    }
    var row =
        new ModelRun.Attempt(step, attempt, StepStatus.FAILED, retryAt == null, run.epoch, now);
    row.retryAt = retryAt;
    return run.record(row);
  }

  private static String outcome(@Nullable Instant retryAt, Instant now, int attempt) {
    if (retryAt == null) {
      return "failed for good";
    }
    Duration wait = Duration.between(now, retryAt);
    return "retry at %s in %s as %d"
        .formatted(retryAt, wait.isNegative() ? Duration.ZERO : wait, attempt + 1);
  }

  /** Takes runs from workers that have not ended an attempt in time. */
  void enforceTimeouts(Instant now) {
    for (ModelRun run : world.live().toList()) {
      List<String> overdue = new ArrayList<>();
      for (Map.Entry<String, ModelRun.Begun> entry : run.begun.entrySet()) {
        ModelRun.Begun begun = entry.getValue();
        if (begun.until() != null
            && !begun.until().plus(GRACE).isAfter(now)
            && run.isHeldUnder(begun.epoch())) {
          overdue.add(entry.getKey());
        }
      }
      if (!overdue.isEmpty()) {
        overdue.forEach(step -> timeOut(run, step, now));
        waits.interrupt(run, now);
        run.handBack(now);
        run.epoch++;
      }
    }
  }

  private static void timeOut(ModelRun run, String step, Instant now) {
    ModelRun.Begun begun = run.begun.remove(step);
    if (begun != null) {
      Instant retryAt = retryAt(run, step, begun.attempts(), begun.atMostOnce(), now);
      recordFailure(run, step, begun.attempt(), retryAt, now);
    }
  }

  String startChild(
      @Nullable ModelRun run, String namespace, int epoch, Op.StartChild op, Instant now) {
    Map<String, World.KnownType> known = world.typesOf(namespace);
    if (!known.isEmpty() && !known.containsKey(op.type())) {
      return "refused UNKNOWN_TYPE";
    }
    if (run == null || !run.isHeldUnder(epoch)) {
      return Fences.refusal(run);
    }
    ModelRun.Item item = run.items.get(op.step());
    if (run.settled(op.step()).isPresent()) {
      return "settled before: " + settled(run, op.step());
    }
    if (item != null) {
      return "child " + item.child + " before";
    }
    if (world.liveWith(run.namespace, op.externalId()).isPresent()) {
      var row = new ModelRun.Attempt(op.step(), op.attempt(), StepStatus.FAILED, true, epoch, now);
      return run.record(row)
          ? "settled before: " + settled(run, op.step())
          : "refused INVALID_ARGUMENT";
    }
    ModelRun child =
        starts.born(op.tag(), run.namespace, op.type(), null, null, op.externalId(), now);
    child.parent = run.label;
    child.parentStep = op.step();
    child.close = op.close();
    run.items.put(op.step(), new ModelRun.Item(child.label));
    run.hasChildren = true;
    return "child " + child.label;
  }

  /** What a run's next worker is told of its steps, in call order. */
  static String history(ModelRun run) {
    List<String> keys = new ArrayList<>(run.begun.keySet());
    run.waits.forEach((step, wait) -> {
      if (wait.kind() != WaitKind.RETRY) {
        keys.add(step);
      }
    });
    run.history.forEach(row -> keys.add(row.step));
    return keys.stream()
        .distinct()
        .sorted(Comparator.comparingInt(Steps::seq))
        .map(step -> line(run, step))
        .toList()
        .toString();
  }

  private static String line(ModelRun run, String step) {
    Optional<ModelRun.Attempt> row = run.latest(step);
    boolean settled = row.map(found -> found.settled).orElse(false);
    ModelRun.Begun begun = run.begun.get(step);
    ModelRun.Wait wait = run.waits.get(step);
    int attempt = row.map(found -> found.number).orElse(0);
    if (!settled) {
      attempt = Math.max(attempt, begun == null ? 0 : begun.attempt());
      attempt = Math.max(attempt, superseded(run, step));
    }
    return "%s %s %d failures %d%s%s"
        .formatted(
            step,
            row.map(found -> found.status.name()).orElse("-"),
            attempt,
            run.failuresOf(step),
            begun == null ? "" : " begun",
            wait == null || wait.kind() == WaitKind.RETRY ? "" : " waits");
  }

  private static int superseded(ModelRun run, String step) {
    return run.history.stream()
        .filter(row -> row.step.equals(step) && !row.isCurrent())
        .mapToInt(row -> row.number)
        .max()
        .orElse(0);
  }

  static boolean isClaimable(ModelRun run, World.Worker worker, Instant now) {
    Instant at = run.availableAt;
    return (run.status == RunStatus.PENDING || run.status == RunStatus.SLEEPING)
        && run.namespace.equals(worker.namespace)
        && run.queue.equals(worker.queue)
        && worker.types.contains(WorkerRules.typeText(run.type, run.version))
        && at != null
        && !at.isAfter(now)
        && (run.deadlineAt == null || run.deadlineAt.isAfter(now) || run.stop != null);
  }
}
