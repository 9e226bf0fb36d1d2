package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.OverlapPolicy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Schedules: which ticks there are, which of them fire, and what they start. */
final class ScheduleRules {

  /** Ticks handled in one go besides those that are caught up. */
  private static final int CHUNK = 1000;

  static final String TYPE = "order";
  static final String FIRED = "FIRED";

  private final World world;
  private final StartRules starts;
  private final EndRules ends;

  ScheduleRules(World world, StartRules starts, EndRules ends) {
    this.world = world;
    this.starts = starts;
    this.ends = ends;
  }

  String create(Op.NewSchedule op, Instant now) {
    var schedule = new World.Schedule(op, now);
    world.schedules.put(op.tag(), schedule);
    world.everSchedule.add(op.tag());
    return "schedule, next " + next(schedule, now);
  }

  static Instant next(World.Schedule schedule, Instant after) {
    long period = schedule.minutes * 60L;
    return Instant.ofEpochSecond((after.getEpochSecond() / period + 1) * period);
  }

  String touch(Op.OnSchedule op, Instant now) {
    World.Schedule schedule = world.schedules.get(op.schedule());
    if (schedule == null) {
      return op.touch() == Op.Touch.DELETE ? "deleted false" : "refused SCHEDULE_NOT_FOUND";
    }
    return switch (op.touch()) {
      case PAUSE -> {
        schedule.paused = true;
        yield "PAUSED, next null";
      }
      case RESUME -> {
        schedule.paused = false;
        yield "SCHEDULED, next " + next(schedule, schedule.firedUpTo);
      }
      case DELETE -> {
        world.schedules.remove(schedule.label);
        yield "deleted true";
      }
      case TRIGGER -> trigger(schedule, now);
    };
  }

  private String trigger(World.Schedule schedule, Instant now) {
    Instant at = now;
    while (true) {
      String fate = fates(schedule, List.of(at)).getOrDefault(at, FIRED);
      boolean fires = fate.equals(FIRED);
      String before = schedule.firings.get(at);
      makeRoom(schedule, fires && !FIRED.equals(before), now);
      if (before == null || (!FIRED.equals(before) && fires)) {
        write(schedule, at, fate, now);
        return "tick " + at + " " + fate;
      }
      at = at.plus(1, ChronoUnit.MICROS);
    }
  }

  void fireAll(Instant now) {
    for (World.Schedule schedule : List.copyOf(world.schedules.values())) {
      if (!schedule.paused && !next(schedule, schedule.firedUpTo).isAfter(now)) {
        fire(schedule, now);
      }
    }
  }

  private void fire(World.Schedule schedule, Instant now) {
    int horizon = CHUNK + schedule.maxCatchup;
    List<Instant> due = new ArrayList<>();
    Instant tick = next(schedule, schedule.firedUpTo);
    while (!tick.isAfter(now) && due.size() < horizon) {
      due.add(tick);
      tick = next(schedule, tick);
    }
    boolean more = due.size() == horizon;
    int tooOld = more ? CHUNK : Math.max(0, due.size() - schedule.maxCatchup);
    List<Instant> recent = more ? List.of() : due.subList(tooOld, due.size());
    Map<Instant, String> plan = new TreeMap<>();
    due.subList(0, tooOld).forEach(old -> plan.put(old, "CATCHUP"));
    plan.putAll(fates(schedule, recent));
    boolean anew =
        plan.entrySet().stream()
            .filter(entry -> entry.getValue().equals(FIRED))
            .anyMatch(entry -> !FIRED.equals(schedule.firings.get(entry.getKey())));
    makeRoom(schedule, anew, now);
    plan.forEach((at, fate) -> {
      if (!schedule.firings.containsKey(at)) {
        write(schedule, at, fate, now);
      }
      schedule.firedUpTo = at;
    });
  }

  /** What becomes of ticks of which none is too old. */
  private Map<Instant, String> fates(World.Schedule schedule, List<Instant> ticks) {
    boolean busy = world.live().anyMatch(run -> schedule.label.equals(run.schedule));
    Map<Instant, String> fates = new TreeMap<>();
    for (int i = 0; i < ticks.size(); i++) {
      boolean fires =
          switch (schedule.overlap) {
            case ALLOW -> true;
            case SKIP -> i == 0 && !busy;
            case CANCEL_OTHER -> i == ticks.size() - 1;
          };
      fates.put(ticks.get(i), fires ? FIRED : "OVERLAP");
    }
    return fates;
  }

  private void makeRoom(World.Schedule schedule, boolean fires, Instant now) {
    if (schedule.overlap == OverlapPolicy.CANCEL_OTHER && fires) {
      world
          .live()
          .filter(run -> schedule.label.equals(run.schedule) && run.stop == null)
          .forEach(run -> ends.cancel(run, false, now));
    }
  }

  private void write(World.Schedule schedule, Instant at, String fate, Instant now) {
    schedule.firings.put(at, fate);
    if (fate.equals(FIRED)) {
      String label = schedule.label + "@" + at;
      ModelRun run = starts.born(label, schedule.namespace, TYPE, null, null, label, now);
      run.schedule = schedule.label;
      run.fireAt = at;
    }
  }
}
