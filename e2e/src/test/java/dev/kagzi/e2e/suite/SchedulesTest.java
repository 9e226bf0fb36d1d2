package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.Schedule;
import dev.kagzi.sdk.client.Schedules;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class SchedulesTest extends DurabilitySuite {

  private final WorkflowType<String, String> type = freshType();
  private final String name = freshName("schedule");

  SchedulesTest(Deployment deployment) {
    super(deployment);
  }

  @Test
  void runsAWorkflowEverySecond() throws InterruptedException {
    CountDownLatch three = new CountDownLatch(3);
    serve(
        type,
        (ctx, in) -> {
          three.countDown();
          return in;
        });
    Schedules schedules = client.schedules();

    Schedule created =
        schedules.create(type, "* * * * * *").name(name).queue(queue()).input("tick").send();
    await(three, "three runs of " + name);
    Schedule paused = schedules.pause(name, "seen enough");

    assertThat(paused.id()).isEqualTo(created.id());
    assertThat(paused.isPaused()).isTrue();
    String last = schedules.get(name).lastRunId().orElseThrow();
    assertThat(resultOf(client.handle(last, String.class))).isEqualTo("tick");
    assertThat(schedules.delete(name)).isTrue();
  }

  @Test
  void firesWhatIsAskedForWhilePaused() {
    serve(type, (ctx, in) -> in);
    Schedules schedules = client.schedules();
    Schedule created =
        schedules
            .create(type, "0 9 * * *")
            .name(name)
            .zone(ZoneId.of("Europe/Berlin"))
            .queue(queue())
            .input("asked for")
            .paused()
            .send();
    Instant to = Instant.parse("2026-03-31T12:00:00Z");

    String triggered = schedules.trigger(name).orElseThrow();
    var filled = schedules.backfill(name, Instant.parse("2026-03-27T12:00:00Z"), to);

    assertThat(created.isPaused()).isTrue();
    assertThat(created.inWords()).isEqualTo("at 09:00");
    assertThat(resultOf(client.handle(triggered, String.class))).isEqualTo("asked for");
    assertThat(filled).hasSize(4);
    assertThat(schedules.backfill(name, Instant.parse("2026-03-27T12:00:00Z"), to)).isEmpty();
    assertThat(schedules.next(name, 3)).hasSize(3);
    assertThat(schedules.list()).extracting(Schedule::name).contains(name);
    assertThat(schedules.resume(name).next()).isPresent();
    assertThatThrownBy(() -> schedules.create(type, "9 o'clock").send())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("2 field(s)");
  }
}
