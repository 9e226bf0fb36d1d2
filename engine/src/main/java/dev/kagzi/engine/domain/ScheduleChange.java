package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/** What is to be changed about a schedule; null stays as it is, an empty name means none. */
public record ScheduleChange(
    @Nullable String name,
    @Nullable String cron,
    @Nullable String timezone,
    @Nullable Integer maxCatchup,
    @Nullable OverlapPolicy overlap,
    @Nullable String description,
    Schedule.@Nullable Template run) {

  public Schedule.Definition over(Schedule.Definition old) {
    return new Schedule.Definition(
        old.namespace(),
        name == null ? old.name() : name.isEmpty() ? null : name,
        cron == null ? old.cron() : cron,
        timezone == null ? old.timezone() : timezone,
        maxCatchup == null ? old.maxCatchup() : maxCatchup,
        overlap == null ? old.overlap() : overlap,
        description == null ? old.description() : description,
        run == null ? old.run() : run);
  }
}
