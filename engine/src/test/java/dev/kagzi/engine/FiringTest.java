package dev.kagzi.engine;

import static dev.kagzi.engine.ScheduleFixture.EVERY_MINUTE;
import static dev.kagzi.engine.ScheduleFixture.START;
import static dev.kagzi.engine.ScheduleFixture.ahead;
import static dev.kagzi.engine.ScheduleFixture.definition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Tick.SkipReason;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.loop.ScheduleFirer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FiringTest {

  private static final Criterion LIVE =
      new Criterion.HasStatus(Set.of(RunStatus.PENDING, RunStatus.RUNNING, RunStatus.SLEEPING));

  private static TestEngine kagzi;
  private static ScheduleFirer firer;

  @BeforeAll
  static void start() {
    kagzi = TestEngine.start();
    firer = new ScheduleFirer(kagzi.engine().scheduling().firings(), 100, 1000);
  }

  @AfterAll
  static void stop() {
    kagzi.close();
  }

  @AfterEach
  void clean() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
    kagzi.execute("DELETE FROM kagzi.schedule_firings");
  }

  private static Schedule get(RunId id) {
    return kagzi.engine().scheduling().lists().get(TestEngine.NAMESPACE, id.toString());
  }

  private static List<Firing> firings(RunId id) {
    return kagzi.engine().scheduling().lists().firings(get(id), null, 1000, "").items().reversed();
  }

  private static long count(Criterion criterion) {
    return kagzi.engine().runLists().count(TestEngine.NAMESPACE, List.of(criterion)).count();
  }

  private static RunId runOf(Firing firing) {
    return Objects.requireNonNull(firing.runId());
  }

  private static Instant minute(int n) {
    return START.plus(Duration.ofMinutes(n));
  }

  @Test
  void aTickStartsARunWithEverythingTheTemplateSays() {
    RunId id =
        ahead(kagzi, definition("whole", EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(minute(1).minusMillis(1))).isZero();
    assertThat(firer.runOnce(minute(1))).isEqualTo(1);

    Firing firing = firings(id).get(0);
    var run = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runOf(firing));
    assertThat(run.externalId()).isEqualTo("schedule:%s:%s".formatted(id, minute(1)));
    assertThat(run.lineage().schedule()).isEqualTo(id);
    assertThat(run.lineage().fireAt()).isEqualTo(minute(1));
    assertThat(run.labels()).containsEntry("from", "schedule");
    Task task = kagzi.pollOne(kagzi.registerWorker());
    assertThat(task.claim().runId()).isEqualTo(firing.runId());
    assertThat(get(id).nextFireAt()).isEqualTo(minute(2));
    assertThat(get(id).lastRunId()).isEqualTo(firing.runId());
  }

  @Test
  void afterAStandstillTheMostRecentFireAndTheOthersAreRecorded() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 10, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(minute(30))).isEqualTo(10);

    List<Firing> all = firings(id);
    assertThat(all).hasSize(30);
    assertThat(all.subList(0, 20))
        .extracting(firing -> firing.tick().skipped())
        .containsOnly(SkipReason.CATCHUP);
    assertThat(all.subList(20, 30)).allMatch(firing -> firing.tick().fires());
    assertThat(get(id).firedUpTo()).isEqualTo(minute(30));
  }

  @Test
  void withoutCatchUpEveryMissedTickIsSkippedAndTheTimeGoesOn() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 0, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(minute(5))).isZero();

    assertThat(firings(id)).hasSize(5).noneMatch(firing -> firing.tick().fires());
    assertThat(get(id).nextFireAt()).isEqualTo(minute(6));
  }

  @Test
  void aLongStandstillIsWorkedOffInPartsWithoutLosingATick() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 7, OverlapPolicy.ALLOW), START);

    int started = 0;
    while (minute(2500).isAfter(get(id).firedUpTo())) {
      started += firer.runOnce(minute(2500));
    }

    assertThat(started).isEqualTo(7);
    assertThat(kagzi.engine().scheduling().lists().countFirings(get(id), false).count())
        .isEqualTo(2493);
  }

  @Test
  void aScheduleThatCannotBeFiredNowIsToldAndKeepsNoOtherWaiting() {
    RunId broken = ahead(kagzi, everyMinute("broken"), START.minusSeconds(60));
    RunId well = ahead(kagzi, everyMinute("well"), START);
    kagzi.execute(
        """
        CREATE FUNCTION kagzi.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no luck'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON kagzi.schedule_firings
        FOR EACH ROW WHEN (NEW.schedule_id = '%s') EXECUTE FUNCTION kagzi.refuse()
        """
            .formatted(broken));
    try {
      assertThatThrownBy(() -> firer.runOnce(minute(1))).hasMessageContaining("no luck");
    } finally {
      kagzi.execute("DROP FUNCTION kagzi.refuse CASCADE");
    }
    assertThat(firings(well)).hasSize(1);
    assertThat(get(broken).status()).isEqualTo(RunStatus.SCHEDULED);

    assertThat(firer.runOnce(minute(1))).isEqualTo(2);
  }

  private static Schedule.Definition everyMinute(String name) {
    return definition(name, EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW);
  }

  @Test
  void oneLookStartsNoMoreRunsThanItMay() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW), START);
    var slow = new ScheduleFirer(kagzi.engine().scheduling().firings(), 100, 8);

    assertThat(
            List.of(slow.runOnce(minute(20)), slow.runOnce(minute(20)), slow.runOnce(minute(20))))
        .containsExactly(8, 8, 4);
    assertThat(firings(id)).hasSize(20).allMatch(firing -> firing.tick().fires());
  }

  @Test
  void skipsWhileARunIsLive() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.SKIP), START);

    assertThat(firer.runOnce(minute(3))).isEqualTo(1);
    assertThat(firer.runOnce(minute(4))).isZero();
    RunId first = runOf(firings(id).get(0));
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, first, "");
    assertThat(firer.runOnce(minute(5))).isEqualTo(1);

    assertThat(firings(id))
        .extracting(firing -> firing.tick().skipped())
        .containsExactly(null, SkipReason.OVERLAP, SkipReason.OVERLAP, SkipReason.OVERLAP, null);
  }

  @Test
  void cancelsTheOthersAndFiresOnlyTheNewest() {
    RunId id =
        ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.CANCEL_OTHER), START);

    assertThat(firer.runOnce(minute(1))).isEqualTo(1);
    assertThat(firer.runOnce(minute(4))).isEqualTo(1);

    List<Firing> all = firings(id);
    assertThat(all).filteredOn(firing -> firing.tick().fires()).hasSize(2);
    assertThat(status(all.get(0))).isEqualTo(RunStatus.CANCELLED);
    assertThat(status(all.get(3))).isEqualTo(RunStatus.PENDING);
  }

  private static RunStatus status(Firing firing) {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, runOf(firing)).status();
  }

  @Test
  void aCorruptScheduleIsPausedWithItsErrorAndDelaysNoOther() {
    RunId bad = ahead(kagzi, definition("bad", EVERY_MINUTE, "UTC", 1, OverlapPolicy.ALLOW), START);
    RunId worse =
        ahead(kagzi, definition("worse", EVERY_MINUTE, "UTC", 1, OverlapPolicy.ALLOW), START);
    RunId good =
        ahead(kagzi, definition("good", EVERY_MINUTE, "UTC", 1, OverlapPolicy.ALLOW), START);
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET cron_expr = 'soon' WHERE run_id = '%s'".formatted(bad));
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET timezone = 'Mars/X' WHERE run_id = '%s'".formatted(worse));

    assertThat(firer.runOnce(minute(1))).isEqualTo(1);

    assertThat(firings(good)).hasSize(1);
    assertThat(get(bad).status()).isEqualTo(RunStatus.PAUSED);
    assertThat(get(bad).error()).contains("'soon'");
    assertThat(get(worse).error()).contains("Mars/X");
  }

  @Test
  void aScheduleWithoutTimeLeftIsPaused() {
    RunId id =
        ahead(kagzi, definition(null, "0 0 0 2 1 * 2035", "UTC", 1, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(START.plus(Duration.ofDays(2)))).isEqualTo(1);

    assertThat(get(id).status()).isEqualTo(RunStatus.PAUSED);
    assertThat(get(id).pauseReason()).contains("no time left");
  }

  @Test
  void aDailyTickFiresOnceWhenTheClocksAreMoved() {
    // New York, 2035: forward on 11 March at 2:00, back on 4 November at 2:00.
    RunId spring =
        ahead(
            kagzi,
            definition("s", "30 2 * * *", "America/New_York", 100, OverlapPolicy.ALLOW),
            Instant.parse("2035-03-10T12:00:00Z"));
    RunId autumn =
        ahead(
            kagzi,
            definition("a", "30 1 * * *", "America/New_York", 100, OverlapPolicy.ALLOW),
            Instant.parse("2035-11-03T12:00:00Z"));

    firer.runOnce(Instant.parse("2035-11-05T12:00:00Z"));

    assertThat(firings(spring))
        .extracting(firing -> firing.tick().fireAt())
        .contains(Instant.parse("2035-03-11T07:30:00Z"), Instant.parse("2035-03-12T06:30:00Z"));
    assertThat(firings(autumn))
        .extracting(firing -> firing.tick().fireAt())
        .containsExactly(
            Instant.parse("2035-11-04T05:30:00Z"), Instant.parse("2035-11-05T06:30:00Z"));
  }

  @Test
  void aClockThatStepsBackFiresNothingAgain() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(minute(5))).isEqualTo(5);
    for (int n = 1; n <= 5; n++) {
      assertThat(firer.runOnce(minute(n))).isZero();
    }
    assertThat(firer.runOnce(minute(6))).isEqualTo(1);

    assertThat(firings(id))
        .extracting(firing -> firing.tick().fireAt())
        .containsExactly(minute(1), minute(2), minute(3), minute(4), minute(5), minute(6));
  }

  @Test
  void aClockThatStepsForwardAndBackLosesNoTickAndDoublesNone() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 10, OverlapPolicy.ALLOW), START);

    assertThat(firer.runOnce(minute(2))).isEqualTo(2);
    assertThat(firer.runOnce(minute(60))).isEqualTo(10);
    for (int n = 3; n <= 62; n++) {
      assertThat(firer.runOnce(minute(n))).isEqualTo(n > 60 ? 1 : 0);
    }

    assertThat(firings(id)).hasSize(62);
    assertThat(firings(id)).filteredOn(firing -> firing.tick().fires()).hasSize(14);
  }

  @Test
  void aTickThatIsWrittenDownNeverFiresAgainWhateverTheTemplateSays() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW), START);
    assertThat(firer.runOnce(minute(3))).isEqualTo(3);
    turnBack(id);

    assertThat(firer.runOnce(minute(5))).isEqualTo(2);

    assertThat(firings(id)).hasSize(5);
    assertThat(count(new Criterion.IsOfSchedule(id))).isEqualTo(5);
  }

  private static void turnBack(RunId id) {
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET last_fired_at = '%s', available_at = '%s' WHERE run_id ="
                .formatted(START, minute(1))
            + " '%s'".formatted(id));
  }

  @Test
  void aTickThatIsWrittenDownDoesNotCancelItsOwnRun() {
    RunId id =
        ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.CANCEL_OTHER), START);
    assertThat(firer.runOnce(minute(3))).isEqualTo(1);
    turnBack(id);

    assertThat(firer.runOnce(minute(3))).isZero();

    assertThat(count(LIVE)).isEqualTo(1);
  }

  @Test
  void aTickTakesTheDefaultVersionOfItsTimeUnlessTheScheduleNamesOne() {
    var worker = kagzi.registerWorker(List.of(version("1"), version("2")));
    RunId open = ahead(kagzi, versioned("open", null), START);
    RunId pinned = ahead(kagzi, versioned("pinned", "1"), START);

    kagzi.engine().workflowTypes().setDefaultVersion(TestEngine.NAMESPACE, "versioned", "1", null);
    firer.runOnce(minute(1));
    kagzi.engine().workflowTypes().setDefaultVersion(TestEngine.NAMESPACE, "versioned", "2", null);
    firer.runOnce(minute(2));

    assertThat(worker).isNotNull();
    assertThat(firings(open)).extracting(FiringTest::versionOf).containsExactly("1", "2");
    assertThat(firings(pinned)).extracting(FiringTest::versionOf).containsExactly("1", "1");
  }

  private static TypeVersion version(String version) {
    return new TypeVersion("versioned", version);
  }

  private static Schedule.Definition versioned(String name, @Nullable String version) {
    return new Schedule.Definition(
        TestEngine.NAMESPACE,
        name,
        EVERY_MINUTE,
        "UTC",
        100,
        OverlapPolicy.ALLOW,
        "",
        new Schedule.Template(
            "versioned", null, version, TestEngine.payload("1"), RunPolicies.NONE, Map.of()));
  }

  private static String versionOf(Firing firing) {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, runOf(firing)).target().version();
  }

  @Test
  void cancellationsNeedNoConnectionWhileManyTriggersWait() {
    RunId id =
        ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.CANCEL_OTHER), START);
    assertThat(firer.runOnce(minute(1))).isEqualTo(1);

    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 40; i++) {
        callers.execute(() ->
            kagzi
                .engine()
                .scheduling()
                .manual()
                .trigger(TestEngine.NAMESPACE, id.toString(), null));
      }
    }

    assertThat(firings(id)).hasSize(41).allMatch(firing -> firing.tick().fires());
    assertThat(count(LIVE)).isEqualTo(1);
  }

  @Test
  void aDisabledNamespaceFiresNothingAndCatchesUpLater() {
    RunId id = ahead(kagzi, definition(null, EVERY_MINUTE, "UTC", 100, OverlapPolicy.ALLOW), START);
    kagzi.execute("UPDATE kagzi.namespaces SET enabled = false");
    try {
      assertThat(firer.runOnce(minute(2))).isZero();
    } finally {
      kagzi.execute("UPDATE kagzi.namespaces SET enabled = true");
    }

    assertThat(firer.runOnce(minute(3))).isEqualTo(3);
    assertThat(firings(id)).hasSize(3);
  }

  @Test
  void anEngineFiresByItselfAtTheTime() {
    Instant created = kagzi.engine().clock().instant();
    RunId id =
        kagzi
            .engine()
            .scheduling()
            .schedules()
            .create(
                definition(null, ScheduleFixture.EVERY_SECOND, "UTC", 100, OverlapPolicy.ALLOW),
                null,
                false)
            .schedule()
            .scheduleId();

    await().atMost(Duration.ofSeconds(30)).until(() -> firings(id).size() >= 3);
    kagzi.engine().scheduling().schedules().pause(TestEngine.NAMESPACE, id.toString(), "");

    List<Firing> all = firings(id);
    assertThat(all.get(0).tick().fireAt()).isBetween(created, created.plusSeconds(2));
    assertThat(all)
        .allSatisfy(
            firing -> assertThat(firing.recordedAt()).isAfterOrEqualTo(firing.tick().fireAt()));
  }
}
