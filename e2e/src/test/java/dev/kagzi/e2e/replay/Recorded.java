package dev.kagzi.e2e.replay;

import dev.kagzi.sdk.ChildFailedException;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.replay.WorkflowReplayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Workflows whose runs were exported once, each with another feature. The code and the files under
 * histories/ belong together: a feature gets another workflow and another file, and none of them is
 * ever edited.
 */
enum Recorded {
  STEPS_AND_SLEEP((ctx, in) -> {
    String first = ctx.step("first", String.class, () -> in + "-1");
    ctx.sleep("nap", Duration.ofMillis(50));
    ctx.step("quiet", () -> {});
    return first + ctx.step("first", String.class, () -> "again");
  }),
  KEYED_STEPS((ctx, in) -> {
    var all = new StringBuilder(in);
    for (String sku : List.of("a", "b", "c")) {
      all.append(ctx.step("label").key(sku).run(String.class, () -> sku + sku));
    }
    return all.toString();
  }),
  STEP_GROUP((ctx, in) -> {
    Texts steps = ctx.steps(Texts.class, Recorded::parts);
    return String.join("+", steps.split(in + " x"));
  }),
  CAUGHT_FAILURE((ctx, in) -> {
    try {
      return ctx.step("print", String.class, Recorded::noPaper);
    } catch (StepFailedException e) {
      return ctx.step("mail", String.class, () -> e.errorMessage());
    }
  }),
  FAILED_STEP((ctx, in) -> {
    ctx.step("prepare", () -> {});
    return ctx.step("print", String.class, Recorded::noPaper);
  }),
  FAILED_BETWEEN_STEPS((ctx, in) -> {
    ctx.step("prepare", () -> {});
    throw new IllegalArgumentException("no such order");
  }),
  BRANCHES((ctx, in) -> {
    var left = ctx.step("left").async(String.class, () -> "l");
    var right = ctx.step("right").async(String.class, () -> "r");
    var pause = ctx.timer("pause", Duration.ofMillis(50));
    ctx.all(left, right, pause);
    return left.get() + right.get();
  }),
  PARALLEL_ITEMS((ctx, in) ->
      String.join(
          ",",
          ctx.parallel("item", List.of("x", "y", "z"), key -> key, 2, String.class, v -> v + in))),
  RACE((ctx, in) -> {
    var fast = ctx.timer("fast", Duration.ofMillis(20));
    var slow = ctx.timer("slow", Duration.ofHours(1));
    return ctx.race("first of two", slow, fast).step();
  }),
  SAGA_THAT_HELD((ctx, in) ->
      ctx.saga(saga -> {
        saga.onFailure("release", () -> {});
        return ctx.step("reserve", String.class, () -> "reserved");
      })),
  SAGA_THAT_WAS_UNDONE((ctx, in) ->
      ctx.saga(saga -> {
        saga.onFailure("release", () -> {});
        ctx.step("reserve", String.class, () -> "reserved");
        saga.onFailure("refund", () -> {});
        return ctx.step("charge", String.class, Recorded::noPaper);
      })),
  TIME_AND_IDS((ctx, in) -> {
    String named = ctx.now() + " " + ctx.uuid("order") + " " + ctx.idempotencyKey("charge");
    return ctx.step("same", Boolean.class, () -> true) + named;
  }),
  PATCHED((ctx, in) -> {
    String checked = ctx.patched("check") ? ctx.step("check", String.class, () -> "ok") : "";
    return checked + ctx.step("ship", String.class, () -> "shipped");
  }),
  EVENT((ctx, in) -> ctx.waitFor(Sent.GO) + ctx.step("heard", String.class, () -> "!")),
  EVENT_THAT_DID_NOT_COME((ctx, in) ->
      ctx.waitFor(Sent.GO, Duration.ofMillis(50)).orElse("nobody")
          + ctx.step("gave up", String.class, () -> "!")),
  CONTINUED((ctx, in) -> {
    String next = ctx.step("next", String.class, () -> "last");
    if (in.equals(next)) {
      return in;
    }
    throw ctx.continueAs(next);
  }),
  CHILD((ctx, in) -> {
    String done = ctx.child(Kin.of("child")).input(in).run();
    return done + ctx.step("after", String.class, () -> "!");
  }),
  STARTED_CHILDREN((ctx, in) -> {
    var one = ctx.child(Kin.of("started-children")).input("one").start();
    var two = ctx.child(Kin.of("started-children")).name("second").input("two").start();
    boolean told = !one.runId().equals(two.runId());
    ctx.step("beside", () -> {});
    return String.join(" ", ctx.<String>all(List.of(one, two))) + told;
  }),
  FAILED_CHILD((ctx, in) -> {
    try {
      return ctx.child(Kin.of("failed-child")).input(Kin.BAD).run();
    } catch (ChildFailedException e) {
      return ctx.step("sorry", String.class, () -> "sorry") + e.is(NonRetryableException.class);
    }
  }),
  CHILD_MAP((ctx, in) -> {
    ctx.step("before", () -> {});
    return "%d".formatted(ctx.childMap("each", List.of("a", "b"), Kin.of("child-map"), 2).size());
  });

  /** Children of the recorded runs. */
  static final class Kin {
    static final String BAD = "bad";

    private Kin() {}

    static WorkflowType<String, String> of(String recorded) {
      return WorkflowType.of("child-of-" + recorded, String.class, String.class);
    }

    static String run(WorkflowContext ctx, String input) {
      return input.equals(BAD)
          ? ctx.step("print", String.class, Recorded::noPaper)
          : ctx.step("echo", String.class, () -> input + input);
    }
  }

  /** What runs are sent. */
  static final class Sent {
    static final EventType<String> GO = EventType.of("go", String.class);

    private Sent() {}
  }

  interface Texts {
    List<String> split(String text);
  }

  @SuppressWarnings("ImmutableEnumChecker") // Lambdas that hold nothing.
  private final Workflow<String, String> workflow;

  Recorded(Workflow<String, String> workflow) {
    this.workflow = workflow;
  }

  private static List<String> parts(String text) {
    return List.of(text.split(" ", -1));
  }

  private static String noPaper() {
    throw new NonRetryableException("no paper");
  }

  WorkflowType<String, String> type() {
    return WorkflowType.of("recorded-" + fileName(), String.class, String.class);
  }

  String run(WorkflowContext ctx, String input) throws Exception {
    return workflow.run(ctx, input);
  }

  String fileName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The history as it was exported. */
  String history() {
    try (InputStream file =
        Recorded.class.getResourceAsStream("/histories/" + fileName() + ".json")) {
      return new String(
          Objects.requireNonNull(file, fileName()).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  WorkflowReplayer replayer() {
    return WorkflowReplayer.of(type(), this::run);
  }
}
