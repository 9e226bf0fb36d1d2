package dev.kagzi.e2e.children;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ChildFailedException;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.WorkflowType;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Deployment.class)
class ChildMapTest extends DurabilitySuite {

  private final WorkflowType<String, String> parent = freshType();
  private final WorkflowType<Integer, Integer> child =
      WorkflowType.of(freshName("item"), Integer.class, Integer.class);

  ChildMapTest(Deployment deployment) {
    super(deployment);
  }

  @Test
  void neverMoreThanSoManyChildrenAreLiveAndAllResultsComeInTheirOrder() {
    var live = new AtomicInteger();
    var most = new AtomicInteger();
    var executions = new AtomicInteger();
    List<Integer> items = IntStream.range(0, 200).boxed().toList();
    begin(
        worker()
            .maxConcurrent(50)
            .register(
                child,
                (ctx, in) -> {
                  executions.incrementAndGet();
                  most.accumulateAndGet(live.incrementAndGet(), Math::max);
                  try {
                    // Work that takes its time, or no two would ever be seen together.
                    TimeUnit.MILLISECONDS.sleep(20);
                    return in * in;
                  } finally {
                    live.decrementAndGet();
                  }
                })
            .register(
                parent,
                (ctx, in) -> {
                  List<Outcome<Integer>> outcomes = ctx.childMap("square", items, child, 10);
                  for (int i = 0; i < items.size(); i++) {
                    assertThat(outcomes.get(i)).isEqualTo(new Outcome.Succeeded<>(i * i));
                  }
                  return Integer.toString(outcomes.size());
                }));

    assertThat(resultOf(start(parent, ""))).isEqualTo("200");
    assertThat(executions).hasValue(200);
    assertThat(most.get()).isBetween(1, 10);
  }

  @Test
  void failuresOfSomeItemsAreCollectedWithTheResultsOfTheOthers() {
    List<Integer> items = IntStream.range(0, 30).boxed().toList();
    begin(
        worker()
            .register(
                child,
                (ctx, in) -> {
                  if (in % 3 == 0) {
                    throw new NonRetryableException("odd one " + in);
                  }
                  return in;
                })
            .register(
                parent,
                (ctx, in) -> {
                  int failed = 0;
                  for (Outcome<Integer> outcome : ctx.childMap("item", items, child, 5)) {
                    if (outcome instanceof Outcome.Failed<Integer> failure) {
                      assertThat(failure.error()).isInstanceOf(ChildFailedException.class);
                      assertThat(failure.error().errorMessage()).contains("odd one");
                      failed++;
                    }
                  }
                  return Integer.toString(failed);
                }));

    assertThat(resultOf(start(parent, ""))).isEqualTo("10");
  }

  @Test
  void nothingToDoIsDoneAtOnce() {
    begin(
        worker()
            .register(child, (ctx, in) -> in)
            .register(
                parent,
                (ctx, in) ->
                    "%d".formatted(ctx.childMap("none", List.<Integer>of(), child, 5).size())));

    assertThat(resultOf(start(parent, ""))).isEqualTo("0");
  }
}
