package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class StepsTest extends DurabilitySuite {

  record Line(String sku, BigDecimal price) {}

  record Order(String id, Instant placedAt, List<Line> lines) {}

  interface Warehouse {
    List<Line> lines(Order order);

    void ship(Line line) throws OutOfPaper;
  }

  static final class OutOfPaper extends NonRetryableException {
    private static final long serialVersionUID = 1;

    OutOfPaper(String message) {
      super(message);
    }
  }

  /** Long enough to be asleep before it is over, also on a busy machine. */
  private static final Duration BRIEFLY = Duration.ofMillis(400);

  private static final Order ORDER =
      new Order(
          "42",
          Instant.parse("2026-02-03T04:05:06.789Z"),
          List.of(new Line("a", new BigDecimal("1.10"))));

  private final Deployment deployment;
  private final AtomicInteger executions = new AtomicInteger();

  StepsTest(Deployment deployment) {
    super(deployment);
    this.deployment = deployment;
  }

  @Test
  void takesAndReturnsValuesOfAnyType() {
    WorkflowType<Order, Order> type = WorkflowType.of(freshName("type"), Order.class, Order.class);
    var passes = new ConcurrentLinkedQueue<List<?>>();
    serve(
        type,
        (ctx, order) -> {
          String text = ctx.step("text", String.class, () -> count("grüße \u0000 \"\n"));
          long number = ctx.step("number", Long.class, () -> count(Long.MAX_VALUE));
          Order whole = ctx.step("record", Order.class, () -> count(order));
          List<Line> list =
              ctx.step("list", TypeRef.listOf(Line.class), () -> count(order.lines()));
          Map<String, Line> map =
              ctx.step(
                  "map",
                  TypeRef.mapOf(String.class, Line.class),
                  () -> count(Map.of("a", order.lines().getFirst())));
          String nothing = nothing(ctx);
          ctx.step("action", () -> count("ignored"));
          String keyed = ctx.step("keyed").key("k").run(String.class, () -> count("by key"));
          String again = ctx.step("text", String.class, () -> count("second use"));
          passes.add(Arrays.asList(text, number, whole, list, map, nothing, keyed, again));
          ctx.sleep("so that it is replayed", BRIEFLY);
          return whole;
        });

    assertThat(resultOf(start(type, ORDER))).isEqualTo(ORDER);

    assertThat(executions).hasValue(9);
    assertThat(passes)
        .hasSize(2)
        .containsOnly(
            Arrays.asList(
                "grüße \u0000 \"\n",
                Long.MAX_VALUE,
                ORDER,
                ORDER.lines(),
                Map.of("a", ORDER.lines().getFirst()),
                null,
                "by key",
                "second use"));
  }

  @SuppressWarnings("NullAway")
  private @Nullable String nothing(WorkflowContext ctx) {
    return ctx.step("null", String.class, () -> count(null));
  }

  private <T extends @Nullable Object> T count(T value) {
    executions.incrementAndGet();
    return value;
  }

  @Test
  void givesTheRecordedValueOnTheFirstRunToo() {
    WorkflowType<String, String> type = freshType();
    serve(
        type,
        (ctx, in) -> {
          List<String> given = new ArrayList<>(List.of("a"));
          List<String> got = ctx.step("list", TypeRef.listOf(String.class), () -> given);
          given.add("b");
          return "%s %s".formatted(got, ctx.replaying());
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("[a] false");
  }

  @Test
  void methodsOfAnInterfaceAreStepsThatAreExecutedOnce() {
    WorkflowType<Order, String> type =
        WorkflowType.of(freshName("type"), Order.class, String.class);
    var passes = new ConcurrentLinkedQueue<String>();
    serve(
        type,
        (ctx, order) -> {
          Warehouse steps = ctx.steps(Warehouse.class, warehouse());
          List<Line> lines = steps.lines(order);
          String failure = "none";
          try {
            steps.ship(lines.getFirst());
          } catch (StepFailedException e) {
            failure = "%s %s".formatted(e.step(), e.is(OutOfPaper.class));
          }
          passes.add(lines.getFirst().price() + " " + failure);
          ctx.sleep("so that it is replayed", BRIEFLY);
          return failure;
        });

    assertThat(resultOf(start(type, ORDER))).isEqualTo("ship true");

    assertThat(executions).hasValue(2);
    assertThat(passes).hasSize(2).containsOnly("1.10 ship true");
  }

  private Warehouse warehouse() {
    return new Warehouse() {
      @Override
      public List<Line> lines(Order order) {
        return count(order.lines());
      }

      @Override
      public void ship(Line line) {
        throw count(new OutOfPaper(line.sku()));
      }
    };
  }

  @Test
  void triesAFailingStepAgainUnderTheSameIdempotencyKey() {
    WorkflowType<String, String> type = freshType();
    var keys = new ConcurrentLinkedQueue<String>();
    serve(
        type,
        (ctx, in) ->
            ctx.step(
                "charge",
                String.class,
                () -> {
                  keys.add(ctx.idempotencyKey("charge"));
                  if (executions.incrementAndGet() < 3) {
                    throw new IllegalStateException("not yet");
                  }
                  return "charged";
                }));

    assertThat(resultOf(start(type, ""))).isEqualTo("charged");

    assertThat(keys).hasSize(3).containsOnly(keys.element());
  }

  @Test
  void givesAStepUpAfterThreeAttemptsAndNamesIt() {
    WorkflowType<String, String> type = freshType();
    serve(
        type,
        (ctx, in) ->
            ctx.step(
                "charge",
                String.class,
                () -> {
                  executions.incrementAndGet();
                  throw new IllegalStateException("declined on " + deployment);
                }));

    var failure = failureOf(start(type, ""));

    assertThat(executions).hasValue(3);
    assertThat(failure.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failure.failedStep()).contains("charge");
    assertThat(failure.errorType()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.errorMessage()).isEqualTo("declined on " + deployment);
  }

  @Test
  void throwsAStepsFailureToTheWorkflowInEveryPass() {
    WorkflowType<String, String> type = freshType();
    var caught = new ConcurrentLinkedQueue<String>();
    serve(
        type,
        (ctx, in) -> {
          try {
            ctx.step(
                "print",
                () -> {
                  executions.incrementAndGet();
                  throw new OutOfPaper("tray 2");
                });
          } catch (StepFailedException e) {
            caught.add(
                "%s %d %s %s %s"
                    .formatted(
                        e.step(),
                        e.attempts(),
                        e.errorMessage(),
                        e.is(OutOfPaper.class),
                        e.is(NonRetryableException.class)));
          }
          ctx.sleep("so that it is replayed", BRIEFLY);
          return ctx.step("mail instead", String.class, () -> "mailed");
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("mailed");

    assertThat(executions).hasValue(1);
    assertThat(caught).hasSize(2).containsOnly("print 1 tray 2 true true");
  }

  @Test
  void failsARunThatThrowsBetweenItsSteps() {
    WorkflowType<String, String> type = freshType();
    serve(
        type,
        (ctx, in) -> {
          ctx.step("fine", executions::incrementAndGet);
          throw new IllegalArgumentException("no such order");
        });

    var failure = failureOf(start(type, ""));

    assertThat(failure).hasMessageContaining("IllegalArgumentException: no such order");
    assertThat(failure.failedStep()).isEmpty();
    assertThat(executions).hasValue(1);
  }
}
