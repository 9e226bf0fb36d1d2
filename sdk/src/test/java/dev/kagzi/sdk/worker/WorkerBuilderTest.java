package dev.kagzi.sdk.worker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerBuilderTest {

  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("echo", String.class, String.class);

  static final class Echo implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String input) {
      return input;
    }
  }

  static final class Counting implements Workflow<String, String> {
    private int count;

    @Override
    public String run(WorkflowContext ctx, String input) {
      return input + count++;
    }
  }

  abstract static class Generic<T> implements Workflow<List<T>, Map<String, T>> {
    @Override
    public Map<String, T> run(WorkflowContext ctx, List<T> input) {
      return Map.of();
    }
  }

  static final class Concrete extends Generic<Integer> {}

  static final class Open<T> extends Generic<T> {}

  private final WorkerBuilder builder = Worker.builder("localhost:50051", "queue");

  @Test
  void readsInputAndOutputFromTheClass() {
    assertThatCode(() -> builder.register("echo", new Echo()).register("more", new Concrete()))
        .doesNotThrowAnyException();
  }

  @Test
  void saysHowToRegisterALambda() {
    Workflow<String, String> lambda = (ctx, in) -> in;

    assertThatThrownBy(() -> builder.register("echo", lambda))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Workflow 'echo'")
        .hasMessageContaining("register(WorkflowType.of(\"echo\", In.class, Out.class), lambda)");
  }

  @Test
  void saysWhenAClassLeavesItsTypesOpen() {
    assertThatThrownBy(() -> builder.register("open", new Open<String>()))
        .hasMessageContaining("does not say what goes in and what comes out");
  }

  @Test
  void refusesStateThatRunsWouldShare() {
    assertThatThrownBy(() -> builder.register("counting", new Counting()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Counting.count is not final")
        .hasMessageContaining("local variables");
  }

  @Test
  void refusesTheSameWorkflowTwice() {
    builder
        .register(TYPE, new Echo())
        .register("echo", "2", new Echo())
        .register("echo", new Echo());

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Workflow 'echo' is registered twice");
  }

  @Test
  void refusesAWorkerWithoutWorkflows() {
    assertThatThrownBy(builder::build).hasMessageContaining("The worker has no workflows");
  }

  @Test
  void refusesSettingsThatMakeNoSense() {
    builder.register(TYPE, new Echo());

    assertThatThrownBy(() -> builder.maxConcurrent(0).build())
        .hasMessage("maxConcurrent: 0 (expected: >= 1)");
    assertThatThrownBy(() -> builder.maxConcurrent(1).drainTimeout(Duration.ofSeconds(-1)).build())
        .hasMessageContaining("drainTimeout");
    assertThatThrownBy(() -> Worker.builder("a:1,,b:2", "queue"))
        .hasMessageContaining("address: 'a:1,,b:2'");
  }
}
