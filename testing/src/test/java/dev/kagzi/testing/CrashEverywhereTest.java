package dev.kagzi.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.WorkflowType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@KagziTest
class CrashEverywhereTest {

  private static final WorkflowType<Integer, Integer> SUM =
      WorkflowType.of("sum", Integer.class, Integer.class);

  @Test
  void aWorkflowThatKeepsItsWorldInStepsIsSafe(TestKagzi kagzi) {
    var charges = new AtomicInteger();
    kagzi
        .register(
            SUM,
            (ctx, n) -> {
              int first =
                  ctx.step("charge", Integer.class, () -> n + 0 * charges.incrementAndGet());
              ctx.sleep("pause", "1h");
              List<Integer> more =
                  ctx.parallel("add", List.of(1, 2, 3), String::valueOf, Integer.class, i -> i * n);
              ctx.step("tell", () -> {});
              return first + more.stream().mapToInt(Integer::intValue).sum();
            })
        .failStep("charge", 1, new IOException("once in each run"));

    kagzi.crashEverywhere(SUM, 10);

    // Undisturbed, and after charge, three times add, and tell: once in each.
    assertThat(charges).hasValue(6);
  }

  @Test
  void workOutsideOfStepsIsFound(TestKagzi kagzi) {
    Map<String, Integer> mails = new ConcurrentHashMap<>();
    kagzi.register(
        SUM,
        (ctx, n) -> {
          mails.merge(ctx.runId(), 1, Integer::sum); // Sent again by every replay.
          ctx.step("charge", () -> {});
          return mails.getOrDefault(ctx.runId(), 0);
        });

    assertThatThrownBy(() -> kagzi.crashEverywhere(SUM, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("sum is not safe from crashes")
        .hasMessageContaining(
            "crash after 'charge': returned 2 (expected: returned 1, as without a crash)");
  }

  @Test
  void stepsWhoseNamesAreNotTheSameEachTimeAreFound(TestKagzi kagzi) {
    kagzi.register(
        SUM, (ctx, n) -> ctx.step("charge-" + UUID.randomUUID(), Integer.class, () -> n));

    assertThatThrownBy(() -> kagzi.crashEverywhere(SUM, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("was not recorded");
  }

  @Test
  void aPathThatDependsOnMoreThanWhatIsRecordedIsFound(TestKagzi kagzi) {
    Map<String, Integer> passes = new ConcurrentHashMap<>();
    kagzi.register(
        SUM,
        (ctx, n) -> {
          int pass = passes.merge(ctx.runId(), 1, Integer::sum);
          ctx.step("charge", () -> {});
          return pass == 1 ? n : ctx.step("refund", Integer.class, () -> n);
        });

    assertThatThrownBy(() -> kagzi.crashEverywhere(SUM, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(
            "crash after 'charge': 'refund' was recorded, and is not without a crash");
  }

  @Test
  void aWorkflowThatFailsMustFailTheSameWay(TestKagzi kagzi) {
    kagzi
        .register(
            SUM,
            (ctx, n) -> {
              ctx.step("charge", () -> {});
              return ctx.step("ship", Integer.class, () -> n);
            })
        .failStep("ship", 1, new NonRetryableException("no address"));

    assertThatCode(() -> kagzi.crashEverywhere(SUM, 1)).doesNotThrowAnyException();
  }

  @Test
  void aResultThatIsNeverTheSameIsComparedByWhatIs(TestKagzi kagzi) {
    var report = WorkflowType.of("report", String.class, String.class);
    kagzi.register(
        report, (ctx, name) -> ctx.step("write", String.class, () -> name) + " by " + ctx.runId());

    assertThatThrownBy(() -> kagzi.crashEverywhere(report, "sales"))
        .isInstanceOf(AssertionError.class);
    kagzi.crashEverywhere(report, "sales", text -> text.startsWith("sales by "));
  }

  @Test
  void aWorkflowWithoutStepsShowsNothing(TestKagzi kagzi) {
    kagzi.register(SUM, (ctx, n) -> n);

    assertThatThrownBy(() -> kagzi.crashEverywhere(SUM, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no step was recorded");
  }
}
