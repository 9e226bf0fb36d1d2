package dev.kagzi.e2e.chaos;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What must become of a job, worked out from its program alone: how it ends, what it returns, which
 * steps are settled and how, and which of them leave a trace in the {@link Ledger}.
 */
final class Model {

  /** How a step is settled. */
  enum Fate {
    COMPLETED,
    FAILED,
    CANCELLED,
    /** Open: an at-most-once step that was interrupted has failed. */
    SETTLED
  }

  /**
   * What is known about a step.
   *
   * @param fate how it is settled
   * @param failures failed attempts that are recorded, at least
   * @param exactly whether there are no more than those
   * @param effect whether its execution writes to the ledger
   */
  record Step(Fate fate, int failures, boolean exactly, boolean effect) {}

  private final Job job;
  private final Map<String, Step> steps = new LinkedHashMap<>();
  private long sum;
  private int children;
  private boolean failed;
  private boolean continues;

  private Model(Job job) {
    this.job = job;
  }

  static Model of(Job job) {
    var model = new Model(job);
    for (Op op : Program.of(job).ops()) {
      model.add(op);
      if (model.failed || model.continues) {
        break;
      }
    }
    return model;
  }

  Map<String, Step> steps() {
    return steps;
  }

  /** How many runs it starts as its children. */
  int children() {
    return children;
  }

  boolean hasFailed() {
    return failed;
  }

  /** Whether another run follows it. */
  boolean continues() {
    return continues;
  }

  /** How the run ends if nobody cancels it. */
  String status() {
    return failed ? "FAILED" : "COMPLETED";
  }

  /** What it returns if it completes without a successor. */
  @Nullable String output() {
    return failed || continues ? null : job.output(sum);
  }

  private void add(Op op) {
    String name = op.name();
    switch (op) {
      case Op.Work work -> completed(name);
      case Op.Big big -> completed(name);
      case Op.Flaky flaky -> flaky(flaky);
      case Op.Doomed doomed -> doomed(doomed);
      case Op.Once once -> steps.put(name, new Step(Fate.SETTLED, 0, false, false));
      case Op.Nap nap -> silent(name, Fate.COMPLETED);
      case Op.Loop loop ->
          IntStream.rangeClosed(1, loop.times())
              .forEach(time -> completed(time == 1 ? name : name + "#" + time));
      case Op.All all -> {
        branches(name, all.branches());
        silent(name + "-pause", Fate.COMPLETED);
      }
      case Op.Settle settle -> {
        branches(name, settle.branches());
        failing(name + "-bad", 1);
        gather(5);
      }
      case Op.Race race -> {
        completed(name + "-quick");
        silent(name + "-hour", Fate.CANCELLED);
      }
      case Op.FailFast failFast -> {
        failing(name + "-bad", 1);
        silent(name + "-hour", Fate.CANCELLED);
        gather(3);
      }
      case Op.Await await -> {
        silent(name, Fate.COMPLETED);
        gather(job.value(name));
      }
      case Op.Child child -> child(child);
      case Op.Undo undo -> undo(undo);
      case Op.Throw end -> failed = true;
      case Op.Continue end -> continues = true;
    }
  }

  private void gather(long value) {
    sum = Job.gather(sum, value);
  }

  private void completed(String key) {
    steps.put(key, new Step(Fate.COMPLETED, 0, true, true));
    gather(job.value(key));
  }

  private void silent(String key, Fate fate) {
    steps.put(key, new Step(fate, 0, true, false));
  }

  private void failing(String key, int attempts) {
    steps.put(key, new Step(Fate.FAILED, attempts, true, true));
  }

  private void flaky(Op.Flaky flaky) {
    // A failure that is in the ledger may have been lost on its way to the server.
    steps.put(flaky.name(), new Step(Fate.COMPLETED, 0, false, true));
    gather(job.value(flaky.name()));
  }

  private void doomed(Op.Doomed doomed) {
    failing(doomed.name(), doomed.attempts());
    if (doomed.caught()) {
      gather(7);
    } else {
      failed = true;
    }
  }

  private void branches(String name, int branches) {
    IntStream.range(0, branches).forEach(branch -> completed(name + "[" + branch + "]"));
  }

  private void child(Op.Child child) {
    children++;
    boolean lost = of(job.child(child.seed())).hasFailed();
    silent(child.name(), lost ? Fate.FAILED : Fate.COMPLETED);
    if (lost && !child.caught()) {
      failed = true;
    } else {
      gather(lost ? 13 : job.value(child.name()));
    }
  }

  private void undo(Op.Undo undo) {
    silent(undo.name() + "-limit", Fate.COMPLETED);
    for (int place = 0; place < undo.steps(); place++) {
      completed(undo.name() + "-" + place);
    }
    if (!undo.fails()) {
      return;
    }
    for (int place = undo.steps() - 1; place >= 0; place--) {
      steps.put("compensate:" + undo.name() + "-" + place, new Step(Fate.COMPLETED, 0, true, true));
    }
    if (undo.caught()) {
      gather(11);
    } else {
      failed = true;
    }
  }
}
