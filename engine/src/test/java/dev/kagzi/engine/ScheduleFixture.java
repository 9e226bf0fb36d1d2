package dev.kagzi.engine;

import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.Schedule;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Schedules for tests. Those of another time do not fire by themselves: it is years ahead. */
final class ScheduleFixture {

  static final Instant START = Instant.parse("2035-01-01T00:00:00Z");
  static final String EVERY_SECOND = "* * * * * *";
  static final String EVERY_MINUTE = "* * * * *";

  private ScheduleFixture() {}

  static Schedule.Definition daily(@Nullable String name) {
    return definition(name, "0 9 * * *", "UTC", 100, OverlapPolicy.ALLOW);
  }

  static Schedule.Definition definition(
      @Nullable String name, String cron, String zone, int maxCatchup, OverlapPolicy overlap) {
    return new Schedule.Definition(
        TestEngine.NAMESPACE,
        name,
        cron,
        zone,
        maxCatchup,
        overlap,
        "",
        new Schedule.Template(
            TestEngine.TYPE.workflowType(),
            TestEngine.QUEUE.taskQueue(),
            null,
            TestEngine.payload("\"tick\""),
            RunPolicies.NONE,
            Map.of("from", "schedule")));
  }

  /** A schedule that has been fired up to a moment in the future, and nothing since. */
  static RunId ahead(TestEngine kagzi, Schedule.Definition definition, Instant firedUpTo) {
    RunId id =
        kagzi
            .engine()
            .scheduling()
            .schedules()
            .create(definition, null, true)
            .schedule()
            .scheduleId();
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET last_fired_at = '%s' WHERE run_id = '%s'"
            .formatted(firedUpTo, id));
    kagzi.engine().scheduling().schedules().resume(TestEngine.NAMESPACE, id.toString());
    return id;
  }
}
