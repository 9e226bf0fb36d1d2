package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.cron.CronTimes;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.FiringPlan;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Tick;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FiringStore;
import dev.kagzi.engine.store.ScheduleStore;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Fires schedules. Whoever holds the lock of a schedule's row writes its ticks down and starts the
 * runs of those that were not there yet, all in one transaction: the primary key of a tick is what
 * makes it fire once, the lock only keeps servers from doing the same work.
 */
public final class Firings {

  private static final Logger log = LoggerFactory.getLogger(Firings.class);

  /** Live runs cancelled in one go before a tick fires. */
  private static final int MAX_CANCELLED = 1000;

  /** Whoever fires at the same time takes the room that others made, one at a time. */
  private static final int MAX_ATTEMPTS = 100;

  private static final int MAX_ERROR = 500;

  /**
   * What a transaction did; others are to hear of it after its commit.
   *
   * @param started the runs that exist now and did not before
   */
  record Fired(List<Firing> written, List<RunTarget> started) {
    static final Fired NOTHING = new Fired(List.of(), List.of());

    int runs() {
      return (int) written.stream().filter(firing -> firing.tick().fires()).count();
    }
  }

  private final Database database;
  private final InstantSource clock;
  private final Workflows workflows;
  private final Partitions partitions;
  private final Signals signals;
  private final TimeOrderedIds ids;
  private final ScheduleStore store = new ScheduleStore();
  private final FiringStore firings = new FiringStore();
  private final StartStore starts = new StartStore();

  public Firings(
      Database database,
      InstantSource clock,
      Workflows workflows,
      Partitions partitions,
      Signals signals) {
    this.database = database;
    this.clock = clock;
    this.workflows = workflows;
    this.partitions = partitions;
    this.signals = signals;
    this.ids = new TimeOrderedIds(clock);
  }

  /** Schedules that are due, the longest waiting first. */
  public List<RunId> due(Instant now, int limit) {
    return database.inTransaction(tx -> store.findDue(tx, now, limit));
  }

  /** When the next schedule is due. */
  public Optional<Instant> next() {
    return Optional.ofNullable(database.inTransaction(store::nextFiring));
  }

  /**
   * Fires the due ticks of a schedule, or the first of many. A schedule that cannot be fired is
   * paused with its error.
   *
   * @return how many runs were started
   */
  public int fire(RunId scheduleId, Instant now, int mostRuns) {
    try {
      partitions.requireFor(clock.instant());
      Fired fired = whenThereIsRoom(tx -> fire(tx, scheduleId, now, mostRuns));
      announce(fired);
      log(scheduleId, fired);
      return fired.runs();
    } catch (RuntimeException failure) {
      if (isPassing(failure)) {
        throw failure;
      }
      stop(scheduleId, failure, now);
      return 0;
    }
  }

  /** A schedule that fires is what everybody expects; ticks that were skipped are news. */
  private static void log(RunId scheduleId, Fired fired) {
    int skipped = fired.written().size() - fired.runs();
    if (!fired.written().isEmpty()) {
      log.atLevel(skipped > 0 ? Level.INFO : Level.DEBUG)
          .log("schedule {} fired: {} runs, {} skipped ticks", scheduleId, fired.runs(), skipped);
    }
  }

  /** Whether it says something about the database and nothing about the schedule. */
  private static boolean isPassing(RuntimeException failure) {
    return failure instanceof DatabaseException database
        ? !database.isDataFault()
        : failure instanceof EngineException refused
            && refused.code() != ErrorCode.BAD_CRON
            && refused.code() != ErrorCode.INVALID_ARGUMENT;
  }

  private void stop(RunId scheduleId, RuntimeException failure, Instant now) {
    String text = String.valueOf(failure.getMessage());
    String error = text.substring(0, Math.min(text.length(), MAX_ERROR));
    log.error("schedule {} cannot be fired and is paused: {}", scheduleId, error, failure);
    database.inTransaction(tx -> store.stop(tx, scheduleId, "it cannot be fired", error, now));
  }

  private Fired fire(Transaction tx, RunId scheduleId, Instant now, int mostRuns) {
    Optional<Schedule> due = store.lockDue(tx, scheduleId, now);
    if (due.isEmpty()) {
      return Fired.NOTHING;
    }
    Schedule schedule = due.get();
    Schedule.Definition definition = schedule.definition();
    CronTimes times = CronReader.read(definition);
    int horizon = FiringPlan.horizon(definition.maxCatchup());
    List<Instant> ticks = times.between(schedule.firedUpTo(), now, horizon);
    List<Tick> plan =
        FiringPlan.of(
            ticks,
            definition.maxCatchup(),
            definition.overlap(),
            isBusy(tx, schedule, definition.overlap()),
            mostRuns);
    requireRoom(tx, schedule, definition.overlap(), plan);
    Fired fired = write(tx, schedule, plan, false);
    Instant firedUpTo = plan.isEmpty() ? schedule.firedUpTo() : plan.get(plan.size() - 1).fireAt();
    Instant next = times.next(firedUpTo).orElse(null);
    store.advance(tx, scheduleId, firedUpTo, next, next == null ? Schedules.NO_TIME_LEFT : null);
    return fired;
  }

  boolean isBusy(Transaction tx, Schedule schedule, OverlapPolicy overlap) {
    return overlap == OverlapPolicy.SKIP
        && !firings.findLive(tx, schedule.scheduleId(), 1).isEmpty();
  }

  /** Leaves the transaction if runs are to be cancelled before a tick of the plan may fire. */
  void requireRoom(Transaction tx, Schedule schedule, OverlapPolicy overlap, List<Tick> plan) {
    if (overlap != OverlapPolicy.CANCEL_OTHER || !firesAnew(tx, schedule, plan)) {
      return;
    }
    List<RunId> others = firings.findGoingOn(tx, schedule.scheduleId(), MAX_CANCELLED);
    if (!others.isEmpty()) {
      throw new RunsInTheWay(schedule, others);
    }
  }

  /** A tick that fired before a step of the clock must not cost its run now. */
  private boolean firesAnew(Transaction tx, Schedule schedule, List<Tick> plan) {
    List<Instant> ticks = plan.stream().filter(Tick::fires).map(Tick::fireAt).toList();
    if (ticks.isEmpty()) {
      return false;
    }
    Instant before = ticks.get(0).minus(1, ChronoUnit.MICROS);
    Instant last = ticks.get(ticks.size() - 1);
    return !firings.findFired(tx, schedule.scheduleId(), before, last).containsAll(ticks);
  }

  /**
   * Repeats a transaction until no run is in its way. They are cancelled between its attempts: a
   * cancellation needs a connection of its own, and those who hold one must not wait for another.
   */
  <T> T whenThereIsRoom(Function<Transaction, T> work) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        return database.inTransaction(work::apply);
      } catch (RunsInTheWay others) {
        cancel(others.schedule, others.runs);
      }
    }
    throw new EngineException(
        ErrorCode.OVERLOADED, "other runs of the schedule start faster than they are cancelled");
  }

  private void cancel(Schedule schedule, List<RunId> others) {
    String reason = "schedule %s starts another run".formatted(schedule.scheduleId());
    for (RunId runId : others) {
      try {
        workflows.cancel(schedule.definition().namespace(), runId, reason);
      } catch (EngineException gone) {
        if (gone.code() != ErrorCode.RUN_NOT_FOUND && gone.code() != ErrorCode.RUN_TERMINAL) {
          throw gone;
        }
      }
    }
  }

  /** Ends an attempt; it says nothing to anybody else. */
  private static final class RunsInTheWay extends RuntimeException {

    private final transient Schedule schedule;
    private final transient List<RunId> runs;

    private RunsInTheWay(Schedule schedule, List<RunId> runs) {
      super("runs of schedule %s are to be cancelled".formatted(schedule.scheduleId()));
      this.schedule = schedule;
      this.runs = runs;
    }
  }

  /**
   * Writes ticks down and starts the runs of those that this transaction was the first to write.
   */
  Fired write(Transaction tx, Schedule schedule, List<Tick> plan, boolean manual) {
    Instant now = clock.instant();
    List<Firing> wanted = new ArrayList<>();
    for (Tick tick : plan) {
      wanted.add(new Firing(tick, tick.fires() ? new RunId(ids.next()) : null, manual, now));
    }
    return write(tx, schedule, wanted);
  }

  /** The same with run ids that are decided already. */
  Fired write(Transaction tx, Schedule schedule, List<Firing> wanted) {
    boolean manual = wanted.stream().anyMatch(Firing::manual);
    Set<Instant> taken =
        manual
            ? firings.insertUnfired(tx, schedule.scheduleId(), wanted)
            : firings.insertNew(tx, schedule.scheduleId(), wanted);
    List<Firing> written =
        wanted.stream().filter(firing -> taken.contains(firing.tick().fireAt())).toList();
    return new Fired(written, start(tx, schedule, written));
  }

  private List<RunTarget> start(Transaction tx, Schedule schedule, List<Firing> written) {
    List<NewRun> runs = new ArrayList<>();
    for (Firing firing : written) {
      RunId runId = firing.runId();
      if (runId != null) {
        StartRequest request = schedule.startAt(firing.tick().fireAt());
        runs.add(newRun(runId, request, firing.recordedAt()));
      }
    }
    if (runs.isEmpty()) {
      return List.of();
    }
    List<StartStore.Inserted> inserted = starts.insert(tx, runs);
    if (inserted.size() < runs.size() || inserted.stream().anyMatch(run -> !run.isNew())) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT,
          "schedule %s: a live run that it did not start has the external id of one of its ticks"
              .formatted(schedule.scheduleId()));
    }
    return inserted.stream().map(run -> run.run().target()).toList();
  }

  private static NewRun newRun(RunId runId, StartRequest request, Instant now) {
    Duration limit = request.policies().executionTimeout();
    @Nullable Instant deadline = limit == null ? null : now.plus(limit);
    return new NewRun(runId, request, now, now, deadline);
  }

  void announce(Fired fired) {
    fired.started().stream().map(RunTarget::queue).distinct().forEach(signals.work()::workReady);
    fired.started().forEach(signals.telemetry()::runStarted);
  }
}
