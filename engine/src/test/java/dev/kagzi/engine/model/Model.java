package dev.kagzi.engine.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Carries operations out on the maps and says what the engine must answer. */
final class Model {

  final World world = new World();
  private final StartRules starts = new StartRules(world);
  private final WaitRules waits = new WaitRules();
  private final EndRules ends = new EndRules(world, starts, waits);
  private final StepRules steps = new StepRules(world, starts, waits);
  private final SecondChances chances = new SecondChances(world, starts);
  private final ScheduleRules schedules = new ScheduleRules(world, starts, ends);
  final WorkerRules workers = new WorkerRules(world, waits, ends);

  /** Whether everything that the operation is about has come into being. */
  boolean means(Op op) {
    boolean run = !(op instanceof Op.OnRun on) || world.everRun.contains(on.run());
    boolean worker =
        !(op instanceof Op.Worked worked)
            || op instanceof Op.Register
            || world.process(worked.worker()).worker != null;
    boolean schedule =
        !(op instanceof Op.OnSchedule on) || world.everSchedule.contains(on.schedule());
    boolean still = !(op instanceof Op.StartAgain again) || world.runs.containsKey(again.run());
    return run && worker && schedule && still;
  }

  String apply(Op op, Instant now) {
    return switch (op) {
      case Op.Start start -> starts.start(start, now);
      case Op.StartAgain again -> startAgain(world.runs.get(again.run()));
      case Op.Cancel cancel ->
          ends.cancel(world.run(cancel.run(), cancel.namespace()), cancel.terminate(), now);
      case Op.Retry retry ->
          chances.retry(world.run(retry.run(), retry.namespace()), retry.expected(), now);
      case Op.Fork fork -> chances.fork(world.run(fork.run(), fork.namespace()), fork, now);
      case Op.Send send -> send(world.run(send.run(), send.namespace()), send, now);
      case Op.Delete delete -> delete(world.run(delete.run(), delete.namespace()));
      case Op.NewSchedule schedule -> schedules.create(schedule, now);
      case Op.OnSchedule touch -> schedules.touch(touch, now);
      case Op.Worked worked -> apply(worked, now);
      case Op.Looped looped -> {
        apply(looped, now);
        yield "";
      }
    };
  }

  /** A known id is answered with its run, whatever has become of it. */
  private static String startAgain(@Nullable ModelRun run) {
    return run == null ? "refused RUN_NOT_FOUND" : "started " + run.label + " " + run.status;
  }

  private String send(@Nullable ModelRun run, Op.Send op, Instant now) {
    return run == null ? "refused RUN_NOT_FOUND" : waits.send(run, op, now);
  }

  private String delete(@Nullable ModelRun run) {
    if (run == null) {
      return "deleted false";
    }
    if (run.isLive()) {
      return "refused NOT_TERMINAL";
    }
    world.runs.remove(run.label);
    return "deleted true";
  }

  private void apply(Op.Looped op, Instant now) {
    switch (op) {
      case Op.SweepLeases sweep -> workers.sweepLeases(now);
      case Op.SweepWorkers sweep -> workers.sweepWorkers(now);
      case Op.EnforceDeadlines enforce -> ends.enforceDeadlines(now);
      case Op.EnforceTimeouts enforce -> steps.enforceTimeouts(now);
      case Op.FireSchedules fire -> schedules.fireAll(now);
      case Op.CloseChildren close -> ends.closeChildren(now);
      case Op.Advance advance -> {}
    }
  }

  private String apply(Op.Worked op, Instant now) {
    World.WorkerProcess process = world.process(op.worker());
    World.Worker worker = process.worker;
    if (op instanceof Op.Register register) {
      return workers.register(register, now);
    }
    if (worker == null) {
      throw new IllegalStateException(op + " before it registered");
    }
    return switch (op) {
      case Op.Beat beat -> workers.beat(process, worker, now);
      case Op.Drain drain -> workers.drain(worker);
      case Op.Deregister leave -> workers.deregister(worker, now);
      case Op.Die die -> workers.die(worker, now);
      case Op.Register register -> throw new IllegalStateException("handled above");
      case Op.Poll poll -> throw new IllegalStateException("needs to know what was claimed");
      case Op.Begin begin -> onRun(process, worker, begin, now);
      case Op.Complete complete -> onRun(process, worker, complete, now);
      case Op.Fail fail -> onRun(process, worker, fail, now);
      case Op.Suspend suspend -> onRun(process, worker, suspend, now);
      case Op.StartChild start -> onRun(process, worker, start, now);
      case Op.Release release -> onRun(process, worker, release, now);
      case Op.Park park -> onRun(process, worker, park, now);
      case Op.Finish finish -> onRun(process, worker, finish, now);
    };
  }

  private String onRun(World.WorkerProcess process, World.Worker worker, Op.OnRun op, Instant now) {
    ModelRun run = world.run(op.run(), worker.namespace);
    int epoch = process.epochs.getOrDefault(op.run(), 1);
    String stop = run != null && run.stop != null ? " stop " + run.stop : "";
    if (op instanceof Op.Release) {
      return workers.release(run, epoch, now);
    }
    if (op instanceof Op.Park) {
      return workers.park(run, epoch, now);
    }
    if (op instanceof Op.StartChild start) {
      return heard(steps.startChild(run, worker.namespace, epoch, start, now), stop);
    }
    if (run == null) {
      return Fences.refusal(null);
    }
    return switch (op) {
      case Op.Begin begin -> heard(steps.begin(run, epoch, begin, now), stop);
      case Op.Complete complete -> heard(steps.complete(run, epoch, complete, now), stop);
      case Op.Fail fail -> heard(steps.fail(run, epoch, fail, now), stop);
      case Op.Suspend suspend -> heard(waits.suspend(run, epoch, suspend, now), stop);
      case Op.Finish finish -> ends.finish(run, epoch, finish, now);
      default -> throw new IllegalStateException(op.toString());
    };
  }

  /** Who is answered also hears that the run has been asked to end. */
  private static String heard(String answer, String stop) {
    return answer.startsWith("refused") ? answer : answer + stop;
  }
}
