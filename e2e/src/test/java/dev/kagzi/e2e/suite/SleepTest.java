package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class SleepTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final AtomicInteger passes = new AtomicInteger();

  SleepTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("sleep-" + deployment), String.class, String.class);
  }

  /** How long the sleep took, by the engine's time. */
  private Duration timeToSleep(Consumer<WorkflowContext> sleep) {
    serve(
        type,
        (ctx, in) -> {
          passes.incrementAndGet();
          Instant before = ctx.now();
          sleep.accept(ctx);
          return Duration.between(before, ctx.now()).toString();
        });
    return Duration.parse(resultOf(start(type, "")));
  }

  @Test
  void holdsNoSlotWhileItSleeps() {
    Worker worker =
        serve(
            type,
            (ctx, in) -> {
              passes.incrementAndGet();
              ctx.sleep("nap", Duration.ofMillis(1500));
              return in;
            });
    WorkflowHandle<String> handle = start(type, "slept");
    awaitStatus(handle, RunStatus.SLEEPING);
    awaitIdle(worker);
    assertThat(handle.status()).isEqualTo(RunStatus.SLEEPING);

    assertThat(resultOf(handle)).isEqualTo("slept");

    assertThat(passes).hasValue(2);
  }

  @Test
  void sleepsForLessThanASecond() {
    Duration took = timeToSleep(ctx -> ctx.sleep("nap", "400ms"));

    assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(400));
    assertThat(passes).hasValue(2);
  }

  @Test
  void goesOnAtOnceWhenThereIsNothingToSleepFor() {
    timeToSleep(ctx -> {
      ctx.sleep("zero", Duration.ZERO);
      ctx.sleep("negative", Duration.ofHours(-1));
      ctx.sleep("negative text", "-1h");
      ctx.sleepUntil("past", Instant.EPOCH);
    });

    assertThat(passes).hasValue(1);
  }

  @Test
  void sleepsUntilAMomentOfTheEnginesTime() {
    var ahead = Duration.ofMillis(400);

    Duration took = timeToSleep(ctx -> ctx.sleepUntil("appointment", ctx.now().plus(ahead)));

    assertThat(took).isGreaterThanOrEqualTo(ahead);
    assertThat(passes).hasValue(2);
  }

  @Test
  void sleepsTheSecondTimeUnderTheSameNameToo() {
    Duration took =
        timeToSleep(ctx -> {
          ctx.sleep("nap", "400ms");
          ctx.sleep("nap", "400ms");
        });

    assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(800));
    assertThat(passes).hasValue(3);
  }

  @Test
  void beginsARunAfterItsDelay() {
    var delay = Duration.ofMillis(800);
    serve(type, (ctx, in) -> ctx.now().toString());
    Instant before = Instant.parse(resultOf(start(type, "")));

    WorkflowHandle<String> handle = client.start(type).queue(queue()).input("").delay(delay).send();
    assertThat(handle.status()).isEqualTo(RunStatus.PENDING);

    assertThat(Instant.parse(resultOf(handle))).isAfterOrEqualTo(before.plus(delay));
  }
}
