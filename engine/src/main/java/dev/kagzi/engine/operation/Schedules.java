package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.cron.CronTimes;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleChange;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ScheduleStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Creating, changing and removing schedules. A schedule is named by its id or by its name. */
public final class Schedules {

  static final String NO_TIME_LEFT = "its cron expression has no time left";

  private static final String NAME_IS_TAKEN = "23505";

  /** A schedule, and whether an earlier call had created it. */
  public record Created(Schedule schedule, boolean alreadyExists) {}

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final Consumer<Instant> alarm;
  private final TimeOrderedIds ids;
  private final ScheduleStore store = new ScheduleStore();

  /**
   * Makes it.
   *
   * @param alarm hears when a schedule of this server fires next
   */
  public Schedules(
      Database database, InstantSource clock, Namespaces namespaces, Consumer<Instant> alarm) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.alarm = alarm;
    this.ids = new TimeOrderedIds(clock);
  }

  /** Creates a schedule; the same id, or the same name and definition, finds the earlier one. */
  public Created create(Schedule.Definition definition, @Nullable RunId requestId, boolean paused) {
    namespaces.requireEnabled(definition.namespace());
    Instant now = clock.instant();
    Instant next = firstTime(definition, now);
    if (requestId != null && !Workflows.isNear(requestId, now)) {
      return database
          .inTransaction(tx -> store.find(tx, requestId))
          .map(found -> new Created(same(found, definition), true))
          .orElseThrow(() -> Workflows.outOfRange(requestId, now));
    }
    Schedule wanted =
        new Schedule(
            requestId == null ? new RunId(ids.next()) : requestId,
            paused ? RunStatus.PAUSED : RunStatus.SCHEDULED,
            definition,
            now,
            now,
            paused ? null : next,
            now,
            null,
            null,
            null);
    Created created = database.inTransaction(tx -> create(tx, wanted));
    ring(created.schedule());
    return created;
  }

  private static Instant firstTime(Schedule.Definition definition, Instant after) {
    return CronReader.read(definition)
        .next(after)
        .orElseThrow(() ->
            new EngineException(
                ErrorCode.BAD_CRON,
                "cron_expr: '%s' has no time left (expected: a time in the future)"
                    .formatted(definition.cron())));
  }

  private Created create(Transaction tx, Schedule wanted) {
    if (store.insert(tx, wanted)) {
      return new Created(wanted, false);
    }
    Schedule.Definition definition = wanted.definition();
    Optional<Schedule> byId = store.find(tx, wanted.scheduleId());
    if (byId.isPresent()) {
      return new Created(same(byId.get(), definition), true);
    }
    String name = definition.name();
    if (name == null) {
      throw belongsToAnother(wanted.scheduleId());
    }
    return store
        .findByName(tx, definition.namespace(), name)
        .flatMap(id -> store.find(tx, definition.namespace(), id))
        .filter(found -> found.definition().equals(definition))
        .map(found -> new Created(found, true))
        .orElseThrow(() -> taken(name));
  }

  private static Schedule same(Schedule found, Schedule.Definition definition) {
    if (found.definition().namespace().equals(definition.namespace())
        && found.definition().run().workflowType().equals(definition.run().workflowType())) {
      return found;
    }
    throw belongsToAnother(found.scheduleId());
  }

  private static EngineException belongsToAnother(RunId requestId) {
    return new EngineException(
        ErrorCode.INVALID_ARGUMENT,
        "request_id: %s belongs to another schedule or run".formatted(requestId));
  }

  private static EngineException taken(@Nullable String name) {
    return new EngineException(
        ErrorCode.SCHEDULE_EXISTS,
        "name: another schedule is called '%s' (expected: a free name, or update that one)"
            .formatted(name));
  }

  /** Changes what is given. A new expression or time zone counts from now on. */
  public Schedule update(String namespace, String idOrName, ScheduleChange change) {
    try {
      return change(namespace, idOrName, old -> changed(old, change));
    } catch (DatabaseException failure) {
      if (NAME_IS_TAKEN.equals(failure.sqlState())) {
        throw taken(change.name());
      }
      throw failure;
    }
  }

  private Schedule changed(Schedule old, ScheduleChange change) {
    Schedule.Definition definition = change.over(old.definition());
    Instant now = clock.instant();
    boolean newTimes =
        !definition.cron().equals(old.definition().cron())
            || !definition.timezone().equals(old.definition().timezone());
    if (!newTimes) {
      return with(old, definition, old.nextFireAt(), old.firedUpTo(), old.error(), now);
    }
    Instant first = firstTime(definition, now);
    Instant next = old.status() == RunStatus.SCHEDULED ? first : null;
    return with(old, definition, next, now, null, now);
  }

  private static Schedule with(
      Schedule old,
      Schedule.Definition definition,
      @Nullable Instant next,
      Instant firedUpTo,
      @Nullable String error,
      Instant now) {
    return new Schedule(
        old.scheduleId(),
        old.status(),
        definition,
        old.createdAt(),
        now,
        next,
        firedUpTo,
        old.lastRunId(),
        old.pauseReason(),
        error);
  }

  /** Keeps a schedule from firing. Repeating it is harmless. */
  public Schedule pause(String namespace, String idOrName, String reason) {
    return change(
        namespace,
        idOrName,
        old ->
            old.status() == RunStatus.PAUSED
                ? old
                : switched(old, RunStatus.PAUSED, null, reason.isEmpty() ? null : reason));
  }

  /** Lets a schedule fire again; it catches up on what it missed. Repeating it is harmless. */
  public Schedule resume(String namespace, String idOrName) {
    return change(
        namespace, idOrName, old -> old.status() == RunStatus.SCHEDULED ? old : resumed(old));
  }

  private Schedule resumed(Schedule old) {
    CronTimes times = CronReader.read(old.definition());
    return times
        .next(old.firedUpTo())
        .map(next -> switched(old, RunStatus.SCHEDULED, next, null))
        .orElseGet(() -> switched(old, RunStatus.PAUSED, null, NO_TIME_LEFT));
  }

  private Schedule switched(
      Schedule old, RunStatus status, @Nullable Instant next, @Nullable String reason) {
    return new Schedule(
        old.scheduleId(),
        status,
        old.definition(),
        old.createdAt(),
        clock.instant(),
        next,
        old.firedUpTo(),
        old.lastRunId(),
        reason,
        null);
  }

  private Schedule change(String namespace, String idOrName, UnaryOperator<Schedule> change) {
    Schedule changed =
        database.inTransaction(tx -> {
          Schedule old = locked(tx, namespace, idOrName);
          Schedule wanted = change.apply(old);
          if (!wanted.equals(old)) {
            store.update(tx, wanted);
          }
          return wanted;
        });
    ring(changed);
    return changed;
  }

  private void ring(Schedule schedule) {
    Instant next = schedule.nextFireAt();
    if (next != null) {
      alarm.accept(next);
    }
  }

  /**
   * Removes a schedule; its runs stay. The record of its ticks is gone with it for all who ask, and
   * retention removes it. Repeating it is harmless.
   */
  public boolean delete(String namespace, String idOrName) {
    return database.inTransaction(tx -> {
      Optional<Schedule> found = lock(tx, namespace, idOrName);
      found.ifPresent(schedule -> store.delete(tx, schedule.scheduleId()));
      return found.isPresent();
    });
  }

  Schedule locked(Transaction tx, String namespace, String idOrName) {
    return lock(tx, namespace, idOrName).orElseThrow(() -> notFound(idOrName));
  }

  private Optional<Schedule> lock(Transaction tx, String namespace, String idOrName) {
    return idOf(tx, namespace, idOrName).flatMap(id -> store.lock(tx, namespace, id));
  }

  Optional<Schedule> find(Transaction tx, String namespace, String idOrName) {
    return idOf(tx, namespace, idOrName).flatMap(id -> store.find(tx, namespace, id));
  }

  private Optional<RunId> idOf(Transaction tx, String namespace, String idOrName) {
    Optional<RunId> byName = store.findByName(tx, namespace, idOrName);
    if (byName.isPresent()) {
      return byName;
    }
    try {
      return Optional.of(RunId.parse(idOrName));
    } catch (EngineException onlyAName) {
      return Optional.empty();
    }
  }

  static EngineException notFound(String idOrName) {
    return new EngineException(
        ErrorCode.SCHEDULE_NOT_FOUND,
        "schedule '%s' does not exist in this namespace".formatted(idOrName));
  }
}
