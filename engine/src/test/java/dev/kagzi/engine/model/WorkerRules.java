package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StopKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Workers: their lives, their leases, and what becomes of their runs. */
final class WorkerRules {

  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration STALE = Duration.ofSeconds(45);
  static final int MAX_CRASHES = 3;
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Duration PARKED = Duration.ofSeconds(5);
  private static final Duration PARKED_AT_MOST = Duration.ofMinutes(5);

  private final World world;
  private final WaitRules waits;
  private final EndRules ends;

  WorkerRules(World world, WaitRules waits, EndRules ends) {
    this.world = world;
    this.waits = waits;
    this.ends = ends;
  }

  /** A type with its version, as registrations name it. */
  static String typeText(String type, String version) {
    return version.isEmpty() ? type : type + ":" + version;
  }

  String register(Op.Register op, Instant now) {
    World.WorkerProcess process = world.process(op.worker());
    World.Worker older = sameIn(op);
    String label = op.worker() + "#" + ++process.lives;
    var worker = new World.Worker(label, op.namespace(), op.queue(), op.types(), now);
    world.workers.put(label, worker);
    process.worker = worker;
    Map<String, World.KnownType> known = world.typesOf(op.namespace());
    for (String text : op.types()) {
      String[] parts = text.split(":", 2);
      known.putIfAbsent(
          parts[0], new World.KnownType(parts.length == 1 ? "" : parts[1], op.queue()));
    }
    if (older != null) {
      older.status = "OFFLINE";
      free(world.heldBy(older), now);
    }
    wakeParked(worker, now);
    return "registered " + label;
  }

  /** An earlier life of the process in the same place; elsewhere it goes on until it is missed. */
  private World.@Nullable Worker sameIn(Op.Register op) {
    for (World.Worker worker : world.workers.values()) {
      if (worker.label.startsWith(op.worker() + "#")
          && !worker.isOffline()
          && worker.namespace.equals(op.namespace())
          && worker.queue.equals(op.queue())) {
        return worker;
      }
    }
    return null;
  }

  private void wakeParked(World.Worker worker, Instant now) {
    world
        .live()
        .filter(run -> run.status == RunStatus.PENDING)
        .filter(run -> "NON_DETERMINISM".equals(run.waitReason))
        .filter(run -> run.namespace.equals(worker.namespace) && run.queue.equals(worker.queue))
        .filter(
            run -> worker.types.stream().anyMatch(text -> text.split(":", 2)[0].equals(run.type)))
        .forEach(run -> run.availableAt = now);
  }

  /** Why a worker may not have been handed just these runs; null if it may. */
  @Nullable String objection(World.Worker worker, int max, List<String> given, Instant now) {
    List<ModelRun> due =
        world.live().filter(run -> StepRules.isClaimable(run, worker, now)).toList();
    List<String> names = due.stream().map(run -> run.label).toList();
    int expected = worker.status.equals("ONLINE") ? Math.min(max, due.size()) : 0;
    if (given.size() != expected || !names.containsAll(given)) {
      return "expected %d of %s".formatted(expected, names);
    }
    Instant newest = Instant.MIN;
    Instant oldest = Instant.MAX;
    for (ModelRun run : due) {
      Instant at = run.availableAt == null ? now : run.availableAt;
      if (given.contains(run.label)) {
        newest = at.isAfter(newest) ? at : newest;
      } else {
        oldest = at.isBefore(oldest) ? at : oldest;
      }
    }
    return oldest.isBefore(newest) ? "expected the longest waiting of " + names : null;
  }

  /** Hands a run over and says what its worker learns. */
  String claim(ModelRun run, World.Worker worker, Instant now) {
    run.status = RunStatus.RUNNING;
    run.waitReason = null;
    run.availableAt = null;
    run.leaseUntil = now.plus(LEASE);
    run.worker = worker.label;
    run.epoch++;
    run.startedAt = run.startedAt == null ? now : run.startedAt;
    if (run.epoch > 1 || run.forkedFrom != null) {
      waits.endDue(run, now);
    }
    return "%s epoch %d until %s stop %s failures %d %s"
        .formatted(
            run.label, run.epoch, run.leaseUntil, run.stop, run.failures, StepRules.history(run));
  }

  String beat(World.WorkerProcess process, World.Worker worker, Instant now) {
    if (worker.isOffline()) {
      return "refused WORKER_NOT_FOUND";
    }
    worker.lastBeat = now;
    Map<String, String> told = new TreeMap<>();
    process.epochs.forEach((label, epoch) -> {
      ModelRun run = world.runs.get(label);
      if (run != null && run.isHeldUnder(epoch) && worker.label.equals(run.worker)) {
        Instant until = now.plus(LEASE);
        run.leaseUntil =
            run.leaseUntil != null && run.leaseUntil.isAfter(until) ? run.leaseUntil : until;
        if (run.stop != null) {
          told.put(label, "stop " + run.stop);
        }
      } else {
        if (run == null || run.isLive() || !run.namespace.equals(worker.namespace)) {
          told.put(label, "lost");
        } else {
          told.put(label, "lost, " + run.status);
        }
      }
    });
    return "beat, drain %s, %s".formatted(worker.status.equals("DRAINING"), told);
  }

  String drain(World.Worker worker) {
    if (worker.status.equals("ONLINE")) {
      worker.status = "DRAINING";
    }
    return "drained";
  }

  String deregister(World.Worker worker, Instant now) {
    if (worker.isOffline()) {
      return "left 0";
    }
    worker.status = "OFFLINE";
    List<ModelRun> held = world.heldBy(worker);
    for (ModelRun run : held) {
      run.handBack(now);
      waits.interrupt(run, now);
    }
    return "left " + held.size();
  }

  String die(World.Worker worker, Instant now) {
    if (worker.isOffline()) {
      return "dead false";
    }
    worker.status = "OFFLINE";
    free(world.heldBy(worker), now);
    return "dead true";
  }

  void sweepWorkers(Instant now) {
    List<ModelRun> held = new ArrayList<>();
    for (World.Worker worker : world.workers.values()) {
      if (!worker.isOffline() && worker.lastBeat.isBefore(now.minus(STALE))) {
        worker.status = "OFFLINE";
        held.addAll(world.heldBy(worker));
      }
    }
    free(held, now);
  }

  void sweepLeases(Instant now) {
    Instant before = now.minus(GRACE);
    free(
        world
            .live()
            .filter(run -> run.leaseUntil != null && run.leaseUntil.isBefore(before))
            .toList(),
        now);
  }

  /** Their worker is lost; a run that loses too many in a row is taken to be the cause. */
  private void free(List<ModelRun> held, Instant now) {
    List<EndRules.End> hopeless = new ArrayList<>();
    for (ModelRun run : held) {
      waits.interrupt(run, now);
      run.handBack(now);
      run.crashes++;
      int settled = run.settledSteps();
      run.crashesInRow = settled > run.settledAtCrash ? 1 : run.crashesInRow + 1;
      run.settledAtCrash = settled;
      if (run.crashesInRow >= MAX_CRASHES) {
        StopKind stop = run.stop;
        RunStatus status = stop == null ? RunStatus.FAILED : stop.end();
        hopeless.add(new EndRules.End(run, status, "CRASH_LOOP", null));
      }
    }
    ends.endAll(hopeless, now);
  }

  String release(@Nullable ModelRun run, int epoch, Instant now) {
    if (run == null) {
      return "released false";
    }
    if (run.isHeldUnder(epoch)) {
      run.handBack(now);
      waits.interrupt(run, now);
      return "released true";
    }
    return "released " + (run.status == RunStatus.PENDING && run.epoch == epoch);
  }

  String park(@Nullable ModelRun run, int epoch, Instant now) {
    if (run == null || !run.isHeldUnder(epoch)) {
      return release(run, epoch, now);
    }
    Duration wait = PARKED.multipliedBy(1L << Math.min(run.divergences, 10));
    run.handBack(now.plus(wait.compareTo(PARKED_AT_MOST) > 0 ? PARKED_AT_MOST : wait));
    run.waitReason = "NON_DETERMINISM";
    run.divergences++;
    waits.interrupt(run, now);
    return "released true";
  }
}
