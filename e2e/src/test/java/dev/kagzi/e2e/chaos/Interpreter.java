package dev.kagzi.e2e.chaos;

import dev.kagzi.e2e.chaos.Ledger.Phase;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Executes the {@link Program} of its job; {@link Model} says what comes of it. */
record Interpreter(Ledger ledger) implements Workflow<Job, String> {

  static final WorkflowType<Job, String> TYPE =
      WorkflowType.of("chaos-program", Job.class, String.class);

  static final String QUEUE = "chaos";

  /** Enough for every failure on purpose and any number of lost attempts. */
  private static final int MANY = 1000;

  private static final Duration HOUR = Duration.ofHours(1);

  /** As long as a saga takes, more or less. */
  private static final Duration LIMIT = Duration.ofMillis(150);

  static EventType<Integer> event(String name) {
    return EventType.of(name, Integer.class);
  }

  @Override
  public String run(WorkflowContext ctx, Job job) throws Exception {
    return new Pass(ctx, job).run();
  }

  /** One execution of the workflow's code, from the top. */
  private final class Pass {
    private final WorkflowContext ctx;
    private final Job job;
    private long sum;

    private Pass(WorkflowContext ctx, Job job) {
      this.ctx = ctx;
      this.job = job;
    }

    String run() throws Exception {
      for (Op op : Program.of(job).ops()) {
        execute(op);
      }
      return job.output(sum);
    }

    private void execute(Op op) throws Exception {
      String name = op.name();
      switch (op) {
        case Op.Work work -> step(name, work.millis());
        case Op.Flaky flaky -> flaky(flaky);
        case Op.Doomed doomed -> doomed(doomed);
        case Op.Once once -> once(once);
        case Op.Nap nap -> nap(nap);
        case Op.Big big -> big(big);
        case Op.Loop loop -> loop(loop);
        case Op.All all -> all(all);
        case Op.Settle settle -> settle(settle);
        case Op.Race race -> race(name);
        case Op.FailFast failFast -> failFast(name);
        case Op.Await await -> gather(ctx.waitFor(event(name)));
        case Op.Child child -> child(child);
        case Op.Undo undo -> undo(undo);
        case Op.Throw end -> throw new IllegalStateException("the program says so");
        case Op.Continue end -> throw ctx.continueAs(job.next());
      }
    }

    private void gather(long value) {
      sum = Job.gather(sum, value);
    }

    private void gather(String key, int value) {
      ledger.note(ctx.runId(), key, Phase.ACK);
      gather(value);
    }

    /** The effect that a step has on the world, and its result. */
    private int effect(String key, int millis) throws SQLException, InterruptedException {
      ledger.write(ctx.runId(), key, Phase.BEGIN);
      TimeUnit.MILLISECONDS.sleep(millis);
      ledger.write(ctx.runId(), key, Phase.END);
      return job.value(key);
    }

    private void step(String name, int millis) {
      gather(name, ctx.step(name).run(Integer.class, () -> effect(name, millis)));
    }

    private void loop(Op.Loop loop) {
      for (int time = 1; time <= loop.times(); time++) {
        String key = time == 1 ? loop.name() : loop.name() + "#" + time;
        gather(key, ctx.step(loop.name(), Integer.class, () -> effect(key, 0)));
      }
    }

    private void flaky(Op.Flaky flaky) {
      String name = flaky.name();
      var pause = Duration.ofMillis(flaky.patient() ? 2500 : 20);
      int value =
          ctx.step(name)
              .retry(Retry.fixed(MANY, pause))
              .run(Integer.class, () -> failOrDo(name, flaky.failures()));
      gather(name, value);
    }

    private int failOrDo(String name, int failures)
        throws SQLException, InterruptedException, IOException {
      if (ledger.failures(ctx.runId(), name) < failures) {
        ledger.write(ctx.runId(), name, Phase.BEGIN);
        ledger.write(ctx.runId(), name, Phase.FAIL);
        throw new IOException("not yet");
      }
      return effect(name, 0);
    }

    private void doomed(Op.Doomed doomed) {
      try {
        ctx.step(doomed.name())
            .retry(Retry.fixed(doomed.attempts(), "20ms"))
            .run(() -> {
              ledger.write(ctx.runId(), doomed.name(), Phase.BEGIN);
              throw new IOException("never");
            });
        throw new IllegalStateException("a doomed step has succeeded");
      } catch (StepFailedException e) {
        if (!doomed.caught()) {
          throw e;
        }
        gather(7);
      }
    }

    private void once(Op.Once once) {
      try {
        ctx.step(once.name()).atMostOnce().run(() -> effect(once.name(), once.millis()));
      } catch (StepFailedException interrupted) {
        // Its worker was lost meanwhile; nobody knows whether it has had its effect.
      }
    }

    private void nap(Op.Nap nap) throws SQLException {
      ledger.write(ctx.runId(), nap.name(), Phase.BEFORE);
      ctx.sleep(nap.name(), Duration.ofMillis(nap.millis()));
      ledger.write(ctx.runId(), nap.name(), Phase.AFTER);
    }

    private void big(Op.Big big) {
      String text =
          ctx.step(
              big.name(),
              String.class,
              () -> effect(big.name(), 0) + job.secret() + "x".repeat(big.bytes()));
      if (text.length() < big.bytes()) {
        throw new IllegalStateException("a result was cut");
      }
      gather(big.name(), job.value(big.name()));
    }

    private List<StepFuture<Integer>> branches(String name, int branches) {
      return IntStream.range(0, branches)
          .mapToObj(branch ->
              ctx.step(name)
                  .key(String.valueOf(branch))
                  .async(Integer.class, () -> effect(name + "[" + branch + "]", branch * 20)))
          .toList();
    }

    private void all(Op.All all) {
      var branches = branches(all.name(), all.branches());
      var pause = ctx.timer(all.name() + "-pause", Duration.ofMillis(all.pauseMillis()));
      List<Integer> values = ctx.all(branches);
      ctx.all(pause);
      for (int branch = 0; branch < values.size(); branch++) {
        gather(all.name() + "[" + branch + "]", values.get(branch));
      }
    }

    private void settle(Op.Settle settle) {
      var branches = new ArrayList<>(branches(settle.name(), settle.branches()));
      branches.add(bad(settle.name() + "-bad"));
      int branch = 0;
      for (Outcome<Integer> outcome : ctx.settle(branches)) {
        switch (outcome) {
          case Outcome.Succeeded<Integer> done ->
              gather(settle.name() + "[" + branch++ + "]", done.value());
          case Outcome.Failed<Integer> failed -> gather(5);
        }
      }
    }

    private StepFuture<Integer> bad(String key) {
      return ctx.step(key)
          .async(
              Integer.class,
              () -> {
                ledger.write(ctx.runId(), key, Phase.BEGIN);
                throw new NonRetryableException("bad");
              });
    }

    private void race(String name) {
      var quick = ctx.step(name + "-quick").async(Integer.class, () -> effect(name + "-quick", 10));
      var hour = ctx.timer(name + "-hour", HOUR);
      var winner = ctx.race(name, hour, quick);
      gather(name + "-quick", winner.value() instanceof Integer value ? value : -1);
    }

    private void failFast(String name) {
      try {
        ctx.all(ctx.timer(name + "-hour", HOUR), bad(name + "-bad"));
        throw new IllegalStateException("a bad step has succeeded");
      } catch (StepFailedException e) {
        gather(3);
      }
    }

    private void child(Op.Child child) {
      Job inner = job.child(child.seed());
      try {
        String output = ctx.child(TYPE).name(child.name()).input(inner).run();
        gather(output.startsWith(job.secret()) ? job.value(child.name()) : -1);
      } catch (StepFailedException e) {
        if (!child.caught()) {
          throw e;
        }
        gather(13);
      }
    }

    /** Beside a timer, which a run that is to undo its work must get past. */
    private void undo(Op.Undo undo) throws Exception {
      var limit = ctx.timer(undo.name() + "-limit", LIMIT);
      try {
        ctx.saga(saga -> {
          ctx.setState(undo.name());
          for (int place = 0; place < undo.steps(); place++) {
            String key = undo.name() + "-" + place;
            saga.onFailure(key, Retry.fixed(MANY, "20ms"), () -> effect("compensate:" + key, 0));
            step(key, undo.millis());
          }
          if (undo.fails()) {
            throw new UndoException();
          }
        });
      } catch (UndoException e) {
        if (!undo.caught()) {
          throw e;
        }
        gather(11);
      } finally {
        ctx.all(limit);
      }
    }
  }

  /** What a saga throws whose program says that it fails. */
  private static final class UndoException extends Exception {
    private static final long serialVersionUID = 1;

    private UndoException() {
      super("the saga fails as it should");
    }
  }
}
