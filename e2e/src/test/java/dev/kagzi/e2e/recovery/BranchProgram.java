package dev.kagzi.e2e.recovery;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepBuilder;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A workflow whose shape follows from its input: rounds of branches that work, fail and are tried
 * again, sleep, race or take each other along. How its branches come to lie between each other is
 * left to chance; its steps and its output are not, and {@link #output} and {@link #keys} say what
 * they must be.
 */
record BranchProgram(Ledger ledger) implements Workflow<Integer, String> {

  static final WorkflowType<Integer, String> TYPE =
      WorkflowType.of("branches", Integer.class, String.class);

  private static final List<Round> KINDS = List.of(Round.values());
  private static final int MOST_ROUNDS = 3;
  private static final int MOST_BRANCHES = 6;
  private static final int LONGEST_STEP_MILLIS = 60;

  private enum Round {
    ALL,
    SETTLE,
    RACE,
    FAIL_FAST,
    LIMITED
  }

  private record Shape(Round kind, int branches) {
    static List<Shape> of(int seed) {
      var random = new Random(seed);
      return IntStream.range(0, 1 + random.nextInt(MOST_ROUNDS))
          .mapToObj(round ->
              new Shape(
                  KINDS.get(random.nextInt(KINDS.size())), 2 + random.nextInt(MOST_BRANCHES - 1)))
          .toList();
    }
  }

  /** What a run with this input returns. */
  static String output(int seed) {
    List<String> rounds = new ArrayList<>();
    List<Shape> shapes = Shape.of(seed);
    for (int round = 0; round < shapes.size(); round++) {
      Shape shape = shapes.get(round);
      rounds.add(
          switch (shape.kind()) {
            case ALL, LIMITED -> numbers(shape.branches()).toString();
            case SETTLE -> numbers(shape.branches()) + " without bad" + round;
            case RACE -> "quick" + round;
            case FAIL_FAST -> "bad" + round + " took the others along";
          });
    }
    return rounds.toString();
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  /** The keys of the steps that a run with this input has settled in the end. */
  static Set<String> keys(int seed) {
    Set<String> keys = new TreeSet<>();
    List<Shape> shapes = Shape.of(seed);
    for (int round = 0; round < shapes.size(); round++) {
      Shape shape = shapes.get(round);
      for (int branch = 0; branch < shape.branches(); branch++) {
        keys.add("work%d[%d]".formatted(round, branch));
      }
      switch (shape.kind()) {
        case ALL -> keys.add("pause" + round);
        case SETTLE -> keys.add("bad" + round);
        case RACE -> keys.addAll(List.of("quick" + round, "hour" + round, "first" + round));
        case FAIL_FAST -> keys.addAll(List.of("bad" + round, "hour" + round));
        case LIMITED -> keys.add("nap" + round);
      }
    }
    return keys;
  }

  @Override
  public String run(WorkflowContext ctx, Integer seed) {
    List<String> rounds = new ArrayList<>();
    List<Shape> shapes = Shape.of(seed);
    for (int round = 0; round < shapes.size(); round++) {
      Shape shape = shapes.get(round);
      rounds.add(
          switch (shape.kind()) {
            case ALL -> all(ctx, round, shape.branches());
            case SETTLE -> settle(ctx, round, shape.branches());
            case RACE -> race(ctx, round, shape.branches());
            case FAIL_FAST -> failFast(ctx, round, shape.branches());
            case LIMITED -> limited(ctx, round, shape.branches());
          });
    }
    return rounds.toString();
  }

  private String all(WorkflowContext ctx, int round, int branches) {
    List<StepFuture<Integer>> work = work(ctx, round, branches);
    StepFuture<?> pause = ctx.timer("pause" + round, "%dms".formatted(50 * branches));
    List<Integer> results = ctx.all(work);
    ctx.all(pause);
    return results.toString();
  }

  private String settle(WorkflowContext ctx, int round, int branches) {
    List<StepFuture<Integer>> work = new ArrayList<>(work(ctx, round, branches));
    work.add(bad(ctx, round));
    List<Integer> good = new ArrayList<>();
    String bad = "nothing";
    for (Outcome<Integer> outcome : ctx.settle(work)) {
      switch (outcome) {
        case Outcome.Succeeded<Integer> done -> good.add(done.value());
        case Outcome.Failed<Integer> failed -> bad = failed.error().step();
      }
    }
    return good + " without " + bad;
  }

  private String race(WorkflowContext ctx, int round, int branches) {
    ctx.all(work(ctx, round, branches));
    StepFuture<Integer> quick =
        step(ctx, "quick" + round).async(Integer.class, () -> execute(ctx, round, branches));
    return ctx.race("first" + round, ctx.timer("hour" + round, "1h"), quick).step();
  }

  private String failFast(WorkflowContext ctx, int round, int branches) {
    ctx.all(work(ctx, round, branches));
    try {
      ctx.all(ctx.timer("hour" + round, "1h"), bad(ctx, round));
      return "nothing failed";
    } catch (StepFailedException e) {
      return e.step() + " took the others along";
    }
  }

  private String limited(WorkflowContext ctx, int round, int branches) {
    List<Integer> results =
        ctx.parallel(
            "work" + round,
            numbers(branches),
            String::valueOf,
            2,
            Integer.class,
            branch -> execute(ctx, round, branch));
    ctx.sleep("nap" + round, "20ms");
    return results.toString();
  }

  private List<StepFuture<Integer>> work(WorkflowContext ctx, int round, int branches) {
    return IntStream.range(0, branches)
        .mapToObj(branch ->
            step(ctx, "work" + round)
                .key(String.valueOf(branch))
                .async(Integer.class, () -> executeOrFail(ctx, round, branch)))
        .toList();
  }

  private static StepBuilder step(WorkflowContext ctx, String name) {
    return ctx.step(name).retry(Retry.fixed(100, "30ms"));
  }

  private static StepFuture<Integer> bad(WorkflowContext ctx, int round) {
    return ctx.step("bad" + round)
        .async(
            Integer.class,
            () -> {
              throw new NonRetryableException("as always");
            });
  }

  private int executeOrFail(WorkflowContext ctx, int round, int branch) throws Exception {
    int result = execute(ctx, round, branch);
    if (ThreadLocalRandom.current().nextInt(4) == 0) {
      throw new IOException("now and then");
    }
    return result;
  }

  private int execute(WorkflowContext ctx, int round, int branch) throws Exception {
    ledger.append(ctx.runId(), step(round, branch));
    TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_STEP_MILLIS));
    return branch;
  }

  /** The number of the step {@code work<round>[<branch>]} in the ledger. */
  static int step(int round, int branch) {
    return round * 10 + branch;
  }
}
