package dev.kagzi.e2e.recovery;

import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.util.List;
import java.util.stream.IntStream;

/** Workflows that have a child for each of many items, and one that has a single child. */
record MapProgram(Ledger ledger) {

  static final WorkflowType<Integer, Long> MAP = WorkflowType.of("map", Integer.class, Long.class);

  static final WorkflowType<Integer, Integer> ITEM =
      WorkflowType.of("map-item", Integer.class, Integer.class);

  static final WorkflowType<Integer, Integer> PARENT =
      WorkflowType.of("parent", Integer.class, Integer.class);

  private static final int MOST_LIVE = 100;

  /** The sum of what the children of so many items return. */
  static Long map(WorkflowContext ctx, Integer items) {
    List<Integer> numbers = IntStream.range(0, items).boxed().toList();
    long sum = 0;
    for (Outcome<Integer> outcome : ctx.childMap("items", numbers, ITEM, MOST_LIVE)) {
      sum +=
          switch (outcome) {
            case Outcome.Succeeded<Integer> done -> done.value();
            case Outcome.Failed<Integer> failed -> throw failed.error();
          };
    }
    return sum;
  }

  /** What its only child returns. */
  static Integer parent(WorkflowContext ctx, Integer number) {
    return ctx.child(ITEM).input(number).run();
  }

  Integer item(WorkflowContext ctx, Integer number) {
    return ctx.step(
        "work",
        Integer.class,
        () -> {
          ledger.append(ctx.runId(), 1);
          return number;
        });
  }
}
