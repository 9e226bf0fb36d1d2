package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleChange;
import dev.kagzi.engine.domain.ScheduleFilter;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.operation.ManualFirings.Backfill;
import dev.kagzi.engine.operation.ManualFirings.Backfilled;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SchedulesTest {

  private static final String NS = TestEngine.NAMESPACE;
  private static TestEngine kagzi;
  private static Schedules schedules;
  private static ManualFirings manual;

  @BeforeAll
  static void start() {
    kagzi = TestEngine.start();
    schedules = kagzi.engine().scheduling().schedules();
    manual = kagzi.engine().scheduling().manual();
  }

  @AfterAll
  static void stop() {
    kagzi.close();
  }

  private static Schedule.Definition monthly(@Nullable String name) {
    return definition(name, "0 0 1 * *", OverlapPolicy.ALLOW);
  }

  private static Schedule.Definition definition(
      @Nullable String name, String cron, OverlapPolicy overlap) {
    return new Schedule.Definition(
        NS,
        name,
        cron,
        "UTC",
        100,
        overlap,
        "",
        new Schedule.Template(
            "report", "nobody", null, TestEngine.payload("1"), RunPolicies.NONE, Map.of()));
  }

  private static Schedule created(Schedule.Definition definition) {
    return schedules.create(definition, null, false).schedule();
  }

  private static ScheduleChange cron(String cron) {
    return new ScheduleChange(null, cron, null, null, null, null, null);
  }

  private static RunId mint() {
    return new RunId(new TimeOrderedIds(kagzi.engine().clock()).next());
  }

  private static void refused(String code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            EngineException.class, refusal -> assertThat(refusal.code()).hasToString(code));
  }

  @Test
  void creatingAgainFindsTheSame() {
    RunId requestId = mint();
    var first = schedules.create(monthly("again"), requestId, false);
    var byId = schedules.create(monthly("again"), requestId, false);
    var byName = schedules.create(monthly("again"), null, false);

    assertThat(first.alreadyExists()).isFalse();
    assertThat(byId.alreadyExists()).isTrue();
    assertThat(byName.alreadyExists()).isTrue();
    assertThat(byName.schedule().scheduleId()).isEqualTo(requestId);
    refused(
        "SCHEDULE_EXISTS", () -> created(definition("again", "0 0 2 * *", OverlapPolicy.ALLOW)));
  }

  @Test
  void whatCannotBeReadOrIsOverIsRefused() {
    refused("BAD_CRON", () -> created(definition(null, "61 * * * *", OverlapPolicy.ALLOW)));
    refused("BAD_CRON", () -> created(definition(null, "0 0 0 1 1 * 2020", OverlapPolicy.ALLOW)));
    assertThatThrownBy(() -> CronReader.read("* * * * *", "Europe/Berlim"))
        .hasMessageContaining("Europe/Berlin");
  }

  @Test
  void aNewExpressionCountsFromNowOn() {
    String id = created(monthly("renewed")).scheduleId().toString();
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET last_fired_at = '2020-01-01Z' WHERE run_id = '" + id + "'");

    Schedule changed = schedules.update(NS, id, cron("0 0 5 * *"));

    assertThat(Duration.between(changed.firedUpTo(), kagzi.engine().clock().instant()))
        .isLessThan(Duration.ofMinutes(1));
    assertThat(changed.definition().name()).isEqualTo("renewed");
    assertThat(get(id).definition().cron()).isEqualTo("0 0 5 * *");
    created(monthly("other"));
    refused(
        "SCHEDULE_EXISTS",
        () ->
            schedules.update(
                NS, id, new ScheduleChange("other", null, null, null, null, null, null)));
  }

  private static Schedule get(String idOrName) {
    return kagzi.engine().scheduling().lists().get(NS, idOrName);
  }

  @Test
  void pausesAndResumes() {
    created(monthly("rest"));

    Schedule paused = schedules.pause(NS, "rest", "holidays");
    assertThat(schedules.pause(NS, "rest", "again")).isEqualTo(paused);
    assertThat(paused.nextFireAt()).isNull();
    assertThat(get("rest").pauseReason()).isEqualTo("holidays");

    Schedule resumed = schedules.resume(NS, "rest");
    assertThat(resumed.status()).isEqualTo(RunStatus.SCHEDULED);
    assertThat(resumed.nextFireAt()).isNotNull();
    assertThat(get("rest").pauseReason()).isNull();
  }

  @Test
  void triggersAlsoWhilePausedAndOnlyOncePerRequest() {
    created(monthly("now"));
    schedules.pause(NS, "now", "");
    RunId requestId = mint();

    Firing fired = manual.trigger(NS, "now", requestId);
    Firing again = manual.trigger(NS, "now", requestId);

    assertThat(fired.runId()).isEqualTo(requestId);
    assertThat(fired.manual()).isTrue();
    assertThat(again.tick()).isEqualTo(fired.tick());
    assertThat(kagzi.engine().workflows().get(NS, requestId).status()).isEqualTo(RunStatus.PENDING);
    refused("INVALID_ARGUMENT", () -> manual.trigger(NS, "now", kagzi.startRun()));
  }

  @Test
  void theOverlapPolicyAlsoHoldsForTriggers() {
    created(definition("alone", "0 0 1 * *", OverlapPolicy.SKIP));

    assertThat(manual.trigger(NS, "alone", null).tick().fires()).isTrue();
    assertThat(manual.trigger(NS, "alone", null).tick().fires()).isFalse();
  }

  @Test
  void backfillsWhatHasNotFiredAndNothingTwice() {
    Schedule schedule = created(definition("past", "0 * * * *", OverlapPolicy.ALLOW));
    Instant to = Instant.parse("2026-01-01T10:00:00Z");
    Backfill wish = new Backfill(to.minus(Duration.ofHours(5)), to, null, false);
    kagzi.execute(
        ("INSERT INTO kagzi.schedule_firings VALUES ('%s', '%s', 'SKIPPED', 'CATCHUP', NULL,"
                + " false, '%s')")
            .formatted(schedule.scheduleId(), to, to));

    Backfilled counted = manual.backfill(NS, "past", new Backfill(wish.from(), to, null, true));
    Backfilled first = manual.backfill(NS, "past", wish);
    Backfilled second = manual.backfill(NS, "past", wish);

    assertThat(counted.fired()).isEqualTo(5);
    assertThat(counted.runs()).isEmpty();
    assertThat(first.runs()).hasSize(5);
    assertThat(second.fired()).isZero();
    assertThat(second.alreadyFired()).isEqualTo(5);
    assertThat(get("past").firedUpTo()).isAfter(to);
    refused(
        "INVALID_ARGUMENT",
        () ->
            manual.backfill(
                NS, "past", new Backfill(to, Instant.parse("2090-01-01T00:00:00Z"), null, false)));
  }

  @Test
  void aLongBackfillSaysWhereToGoOn() {
    created(definition("long", "* * * * *", OverlapPolicy.ALLOW));
    Instant from = Instant.parse("2026-01-01T00:00:00Z");
    Instant to = from.plus(Duration.ofHours(25));

    Backfilled first = manual.backfill(NS, "long", new Backfill(from, to, null, false));
    Instant next = Objects.requireNonNull(first.continueFrom());
    Backfilled second = manual.backfill(NS, "long", new Backfill(next, to, null, false));

    assertThat(List.of(first.fired(), second.fired())).containsExactly(1000, 500);
    assertThat(second.continueFrom()).isNull();
  }

  @Test
  void deletingForgetsTheTicksAndKeepsTheRuns() {
    created(monthly("gone"));
    RunId run = Objects.requireNonNull(manual.trigger(NS, "gone", null).runId());

    assertThat(schedules.delete(NS, "gone")).isTrue();
    assertThat(schedules.delete(NS, "gone")).isFalse();

    assertThat(kagzi.engine().workflows().get(NS, run).status()).isEqualTo(RunStatus.PENDING);
    refused("SCHEDULE_NOT_FOUND", () -> get("gone"));
  }

  @Test
  void templatesAreNotRuns() {
    RunId id = created(definition("hidden", "0 0 1 * *", OverlapPolicy.ALLOW)).scheduleId();
    var engine = kagzi.engine();
    List<Criterion> itself = List.of(new Criterion.IsOneOf(Set.of(id)));

    refused("RUN_NOT_FOUND", () -> engine.workflows().get(NS, id));
    refused("RUN_NOT_FOUND", () -> engine.workflows().cancel(NS, id, ""));
    assertThat(engine.runLists().count(NS, itself).count()).isZero();
    assertThat(engine.runLists().delete(NS, id)).isFalse();
    refused(
        "INVALID_ARGUMENT",
        () -> engine.workflows().start(StartRequest.of(NS, "report").requestId(id).build()));
    kagzi.engine().deadlines().enforce();
    assertThat(get("hidden").status()).isEqualTo(RunStatus.SCHEDULED);
  }

  @Test
  void listsPageByPage() {
    for (int i = 0; i < 3; i++) {
      created(
          new Schedule.Definition(
              NS,
              "listed" + i,
              "0 0 1 * *",
              "UTC",
              1,
              OverlapPolicy.ALLOW,
              "",
              new Schedule.Template(
                  "listed", null, null, TestEngine.payload("1"), RunPolicies.NONE, Map.of())));
    }
    var filter = new ScheduleFilter(NS, Set.of(RunStatus.SCHEDULED), "listed", null);
    var lists = kagzi.engine().scheduling().lists();

    var page = lists.list(filter, 2, "");
    var rest = lists.list(filter, 2, page.nextPageToken());

    assertThat(page.items())
        .extracting(one -> one.definition().name())
        .containsExactly("listed2", "listed1");
    assertThat(rest.items()).hasSize(1);
    assertThat(rest.hasMore()).isFalse();
    assertThat(lists.count(filter).count()).isEqualTo(3);
  }
}
