package dev.kagzi.engine;

import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.Duty;
import dev.kagzi.engine.loop.ScheduleFirer;
import dev.kagzi.engine.operation.Firings;
import dev.kagzi.engine.operation.ManualFirings;
import dev.kagzi.engine.operation.Namespaces;
import dev.kagzi.engine.operation.ScheduleLists;
import dev.kagzi.engine.operation.Schedules;
import dev.kagzi.engine.operation.Timers;
import java.time.Duration;
import java.time.Instant;

/** Everything about schedules: what callers can ask, and the alarm that has them fired. */
public final class Scheduling implements AutoCloseable {

  /** What is left over, or held by another server, is looked at again after a breath. */
  private static final Duration BREATH = Duration.ofMillis(100);

  private final EngineClock clock;
  private final Firings firings;
  private final ScheduleFirer firer;
  private final Duty duty;
  private final Schedules schedules;
  private final ManualFirings manual;
  private final ScheduleLists lists;

  Scheduling(
      Database database,
      EngineClock clock,
      Namespaces namespaces,
      Firings firings,
      Timers timers,
      EngineConfig.Firing config) {
    this.clock = clock;
    this.firings = firings;
    this.firer = new ScheduleFirer(firings, config.maxSchedules(), config.maxRuns());
    this.duty = new Duty("schedules", timers, this::fire);
    this.schedules = new Schedules(database, clock, namespaces, this::ringFor);
    this.manual = new ManualFirings(clock, schedules, namespaces, firings);
    this.lists = new ScheduleLists(database, clock, schedules);
  }

  void ringFor(Instant due) {
    duty.callAfter(Duration.between(clock.instant(), due));
  }

  void fire() {
    try {
      firer.runOnce(clock.instant());
    } finally {
      ringForNext();
    }
  }

  /** Also after a failure: what could not be fired, and all others, must not wait for a beat. */
  private void ringForNext() {
    Instant now = clock.instant();
    firings
        .next()
        .map(next -> next.isAfter(now) ? next : now.plus(BREATH))
        .ifPresent(this::ringFor);
  }

  LoopPulse pulse() {
    return duty.pulse();
  }

  public Schedules schedules() {
    return schedules;
  }

  public ManualFirings manual() {
    return manual;
  }

  public ScheduleLists lists() {
    return lists;
  }

  public Firings firings() {
    return firings;
  }

  @Override
  public void close() {
    duty.close();
  }
}
