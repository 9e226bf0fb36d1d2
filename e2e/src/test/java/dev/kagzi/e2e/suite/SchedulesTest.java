package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.ScheduleFiring;
import dev.kagzi.sdk.ScheduleFiring.Outcome;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.Listing;
import dev.kagzi.sdk.client.Overlap;
import dev.kagzi.sdk.client.Schedule;
import dev.kagzi.sdk.client.ScheduleBuilder;
import dev.kagzi.sdk.client.Schedules;
import dev.kagzi.sdk.worker.Worker;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
  void runsKnowTheTickTheyAreFor() {
    serve(type, (ctx, in) -> ctx.fireAt().map(Instant::toString).orElse("none"));
    paused("0 9 * * *").send();

    var filled =
        client
            .schedules()
            .backfill(
                name, Instant.parse("2026-03-27T12:00:00Z"), Instant.parse("2026-03-28T12:00:00Z"));

    assertThat(filled).hasSize(1);
    assertThat(resultOf(client.handle(filled.getFirst(), String.class)))
        .isEqualTo("2026-03-28T09:00:00Z");
    assertThat(resultOf(client.start(type).queue(queue()).input("").send())).isEqualTo("none");
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

  @Test
  void changesWhatIsMentionedAndKeepsTheRest() {
    serve(type, (ctx, in) -> in);
    Schedules schedules = client.schedules();
    Schedule before = paused("0 9 * * *").label("team", "sales").send();

    Schedule timed =
        schedules
            .update(name)
            .cron("30 10 * * *")
            .zone("Asia/Kolkata")
            .overlap(Overlap.SKIP)
            .maxCatchup(7)
            .description("later")
            .send();
    Schedule renamed = schedules.update(name, type).name(name + "-new").input("changed").send();
    String triggered = schedules.trigger(name + "-new").orElseThrow();

    assertThat(timed.inWords()).isEqualTo("at 10:30");
    assertThat(schedules.next(timed.id(), 1).getFirst().atZone(ZoneId.of("UTC")).toLocalTime())
        .isEqualTo(LocalTime.of(5, 0));
    assertThat(timed.overlap()).isEqualTo(Overlap.SKIP);
    assertThat(renamed.id()).isEqualTo(before.id());
    assertThat(renamed.cron()).isEqualTo("30 10 * * *");
    assertThat(renamed.maxCatchup()).isEqualTo(7);
    assertThat(renamed.description()).isEqualTo("later");
    assertThat(renamed.labels()).isEqualTo(Map.of("team", "sales"));
    assertThat(renamed.queue()).isEqualTo(queue());
    assertThat(renamed.isPaused()).isTrue();
    assertThat(resultOf(client.handle(triggered, String.class))).isEqualTo("changed");
  }

  private ScheduleBuilder<String> paused(String cron) {
    return client
        .schedules()
        .create(type, cron)
        .name(name)
        .queue(queue())
        .input("original")
        .paused();
  }

  @Test
  void givesItsRunsWhatItSaysAboutFailure() throws InterruptedException {
    WorkflowType<WorkflowFailedEvent, String> handler =
        WorkflowType.of(freshName("handler"), WorkflowFailedEvent.class, String.class);
    BlockingQueue<WorkflowFailedEvent> told = new LinkedBlockingQueue<>();
    var tries = new AtomicInteger();
    begin(
        Worker.builder(home().address(), queue() + "-2")
            .drainTimeout("0s")
            .register(
                handler,
                (ctx, event) -> {
                  told.add(event);
                  return "";
                }));
    serve(
        type,
        (ctx, in) -> {
          ctx.step(
              "hang",
              () -> {
                tries.incrementAndGet();
                new CountDownLatch(1).await();
              });
          return in;
        });
    paused("0 9 * * *")
        .retry(Retry.fixed(2, "5ms"))
        .stepTimeout("200ms")
        .onFailure(handler.name(), queue() + "-2")
        .send();

    String run = client.schedules().trigger(name).orElseThrow();
    WorkflowFailedEvent event = told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);

    assertThat(event).isNotNull();
    assertThat(event.failedRunId()).isEqualTo(run);
    assertThat(event.error().kind()).isEqualTo(ErrorKind.TIMEOUT);
    assertThat(tries).hasValue(2);
  }

  @Test
  void endsARunThatTakesLongerThanTheScheduleAllows() {
    serve(
        type,
        (ctx, in) -> {
          ctx.sleep("long", "1h");
          return in;
        });
    paused("0 9 * * *").timeout("200ms").send();

    String run = client.schedules().trigger(name).orElseThrow();

    assertThat(failureOf(client.handle(run)).status()).isEqualTo(RunStatus.TIMED_OUT);
  }

  @Test
  void showsWhatBecameOfItsTicksPageByPage() throws InterruptedException {
    var live = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          await(live, "the history is read");
          return in;
        });
    Schedules schedules = client.schedules();
    paused("0 9 * * *").send();
    List<String> filled =
        schedules.backfill(
            name, Instant.parse("2026-03-27T12:00:00Z"), Instant.parse("2026-03-30T12:00:00Z"));
    schedules.update(name).overlap(Overlap.SKIP).send();
    Optional<String> kept = schedules.trigger(name);

    Listing<ScheduleFiring> history = schedules.history(name);
    Page<ScheduleFiring> first = history.page(3);
    Page<ScheduleFiring> second = history.page(3, first.next().orElseThrow());
    List<ScheduleFiring> skipped = schedules.history(name, Outcome.SKIPPED).all();
    live.countDown();

    assertThat(kept).isEmpty();
    assertThat(first.items()).hasSize(3);
    assertThat(second.items()).hasSize(1);
    assertThat(second.next()).isEmpty();
    assertThat(history)
        .extracting(firing -> firing.runId().orElse(""))
        .containsExactly("", filled.get(2), filled.get(1), filled.get(0));
    ScheduleFiring oldest = second.items().getFirst();
    assertThat(oldest.tick()).isEqualTo(Instant.parse("2026-03-28T09:00:00Z"));
    assertThat(oldest.outcome()).isEqualTo(Outcome.FIRED);
    assertThat(oldest.runStatus()).isPresent();
    assertThat(oldest.isManual()).isTrue();
    assertThat(skipped).hasSize(1);
    assertThat(skipped.getFirst().skipReason()).contains(ScheduleFiring.SkipReason.OVERLAP);
  }

  @Test
  void saysWhatIsWrongWithAChangeAndChangesNothing() {
    serve(type, (ctx, in) -> in);
    Schedules schedules = client.schedules();
    Schedule before = paused("0 9 * * *").send();

    assertRefused(
        "BAD_CRON",
        "field 2 (hour) '25' cannot be read",
        () -> schedules.update(name).cron("0 25 * * *").input("lost").send());
    assertRefused(
        "BAD_CRON",
        "'Europe/Berlim' is not known (expected: an IANA name; nearest: Europe/Berlin",
        () -> schedules.update(name).zone("Europe/Berlim").send());
    assertRefused(
        "INVALID_ARGUMENT",
        "max_catchup is 10001 (expected: 0 to 10000)",
        () -> schedules.update(name).maxCatchup(10_001).send());
    assertRefused(
        "SCHEDULE_NOT_FOUND",
        "schedule 'nowhere' does not exist",
        () -> schedules.update("nowhere").description("lost").send());
    assertRefused(
        "SCHEDULE_NOT_FOUND",
        "schedule 'nowhere' does not exist",
        () -> schedules.history("nowhere").all());
    assertRefused(
        "BAD_CRON", "2 field(s)", () -> schedules.preview("9 o'clock", ZoneId.of("UTC"), 3));
    assertThat(schedules.get(name)).isEqualTo(before);
    assertThat(schedules.preview("0 9 * * *", ZoneId.of("Europe/Berlin"), 3))
        .isEqualTo(schedules.preview("0 9 * * *", ZoneId.of("Europe/Paris"), 3))
        .hasSize(3);
  }

  private static void assertRefused(String reason, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            refused -> assertThat(refused.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }
}
