package dev.kagzi.bench.kagzi;

import dev.kagzi.bench.driver.Contender;
import dev.kagzi.bench.kagzi.BenchTypes.ReplayPlan;
import dev.kagzi.bench.kagzi.BenchTypes.ReplayTimes;
import dev.kagzi.sdk.ChildFuture;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.IntStream;

/** What the workflows do. Thread-safe. */
final class BenchWorkflows {
  /** The concurrency that every contender has. */
  private static final int SLOTS = 100;

  private static final Duration NAP = Duration.ofMillis(50);

  private final BenchTypes types;
  private final Arrivals arrivals = new Arrivals();

  private BenchWorkflows(BenchTypes types) {
    this.types = types;
  }

  /** A worker as anybody would build it. */
  static Worker worker(String address, BenchTypes types) {
    var workflows = new BenchWorkflows(types);
    return Worker.builder(address, types.queue())
        .maxConcurrent(SLOTS)
        .drainTimeout(Duration.ZERO)
        .register(types.steps(), BenchWorkflows::takeSteps)
        .register(types.parallel(), BenchWorkflows::takeStepsTogether)
        .register(types.parent(), workflows::startChildren)
        .register(types.child(), (ctx, number) -> Contender.RESULT)
        .register(types.replay(), workflows::comeBack)
        .build();
  }

  private static String takeSteps(WorkflowContext ctx, Integer steps) {
    var last = "";
    for (int i = 0; i < steps; i++) {
      last = ctx.step("step", String.class, () -> Contender.RESULT);
    }
    return last;
  }

  private static Integer takeStepsTogether(WorkflowContext ctx, Integer steps) {
    var items = IntStream.range(0, steps).boxed().toList();
    return ctx.parallel("item", items, String::valueOf, String.class, item -> Contender.RESULT)
        .size();
  }

  private Integer startChildren(WorkflowContext ctx, Integer children) {
    var started = new ArrayList<ChildFuture<String>>();
    for (int i = 0; i < children; i++) {
      started.add(ctx.child(types.child()).input(i).start());
    }
    return ctx.<String>all(started).size();
  }

  private ReplayTimes comeBack(WorkflowContext ctx, ReplayPlan plan) {
    ctx.step("listen", arrivals::listen);
    for (int i = 0; i < plan.steps(); i++) {
      ctx.step("settled", String.class, () -> Contender.RESULT);
    }
    var millis = new ArrayList<Double>();
    for (int time = 0; time < plan.times(); time++) {
      ctx.sleep("nap", NAP);
      millis.add(ctx.step("new", Double.class, () -> arrivals.millisSince(ctx.runId())));
    }
    ctx.step("stop listening", arrivals::stopListening);
    return new ReplayTimes(millis);
  }
}
