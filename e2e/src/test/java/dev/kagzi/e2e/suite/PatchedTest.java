package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class PatchedTest extends DurabilitySuite {

  private static final Duration NAP = Duration.ofSeconds(1);

  private final WorkflowType<String, String> type;
  private final Queue<String> executed = new ConcurrentLinkedQueue<>();

  PatchedTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("patched-" + deployment), String.class, String.class);
  }

  private final Workflow<String, String> before =
      (ctx, in) -> {
        ctx.step("first", () -> executed.add("first"));
        ctx.sleep("nap", NAP);
        return "old";
      };

  private final Workflow<String, String> after =
      (ctx, in) -> {
        ctx.step("first", () -> executed.add("first"));
        String way = ctx.patched("check") ? "new" : "old";
        if (way.equals("new")) {
          ctx.step("check", () -> executed.add("check"));
        }
        ctx.sleep("nap", NAP);
        ctx.sleep("second nap", NAP);
        return way + " " + ctx.patched("check");
      };

  private final Workflow<String, String> withoutTheCall =
      (ctx, in) -> {
        ctx.step("first", () -> executed.add("first"));
        ctx.step("check", () -> executed.add("check"));
        ctx.sleep("nap", NAP);
        ctx.sleep("second nap", NAP);
        return "only way";
      };

  @Test
  void aNewRunGoesTheNewWayInEveryReplay() {
    serve(type, after);

    assertThat(resultOf(start(type, ""))).isEqualTo("new true");
    assertThat(executed).containsExactly("first", "check");
  }

  @Test
  void aRunThatHadPassedThePlaceBeforeTheDeployGoesTheOldWayToItsEnd() {
    Worker old = serve(type, before);
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    old.stop();

    serve(type, after);

    assertThat(resultOf(handle)).isEqualTo("old false");
    assertThat(executed).containsExactly("first");
  }

  @Test
  void theCallMayBeDroppedWhileRunsThatWentTheNewWayAreAlive() {
    Worker patched = serve(type, after);
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    patched.stop();

    serve(type, withoutTheCall);

    assertThat(resultOf(handle)).isEqualTo("only way");
    assertThat(executed).containsExactly("first", "check");
  }
}
