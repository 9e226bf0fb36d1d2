package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.FiringPlan;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.Tick;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FiringStore;
import dev.kagzi.engine.store.RunStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Fires schedules because a person asked for it, also while they are paused. */
public final class ManualFirings {

  /** Ticks that one call looks at. */
  public static final int MAX_TICKS = 1000;

  private final InstantSource clock;
  private final Schedules schedules;
  private final Namespaces namespaces;
  private final Firings firings;
  private final TimeOrderedIds ids;
  private final FiringStore store = new FiringStore();
  private final RunStore runs = new RunStore();

  public ManualFirings(
      InstantSource clock, Schedules schedules, Namespaces namespaces, Firings firings) {
    this.clock = clock;
    this.schedules = schedules;
    this.namespaces = namespaces;
    this.firings = firings;
    this.ids = new TimeOrderedIds(clock);
  }

  /**
   * Starts a run now, unless the overlap policy forbids it.
   *
   * @param requestId becomes the run's id and makes the call safe to repeat
   */
  public Firing trigger(String namespace, String idOrName, @Nullable RunId requestId) {
    namespaces.requireEnabled(namespace);
    Instant now = clock.instant();
    boolean mayBeNew = requestId == null || Workflows.isNear(requestId, now);
    RunId runId = requestId == null ? new RunId(ids.next()) : requestId;
    Firings.Fired fired =
        firings.whenThereIsRoom(tx -> {
          Schedule schedule = schedules.locked(tx, namespace, idOrName);
          Optional<Firing> before = repeated(tx, schedule, runId);
          if (before.isPresent()) {
            return new Firings.Fired(List.of(before.get()), List.of());
          }
          if (!mayBeNew) {
            throw Workflows.outOfRange(runId, now);
          }
          return trigger(tx, schedule, runId);
        });
    firings.announce(fired);
    return fired.written().get(0);
  }

  /** Also where a transaction is repeated because nobody heard whether it was committed. */
  private Optional<Firing> repeated(Transaction tx, Schedule schedule, RunId requestId) {
    Optional<Firing> before = store.findByRun(tx, schedule.scheduleId(), requestId);
    if (before.isEmpty() && !runs.findAll(tx, List.of(requestId)).isEmpty()) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "request_id: %s belongs to another run".formatted(requestId));
    }
    return before;
  }

  /** Two triggers in one microsecond, or one at a cron time, are told apart by the next. */
  private Firings.Fired trigger(Transaction tx, Schedule schedule, RunId runId) {
    OverlapPolicy overlap = schedule.definition().overlap();
    boolean busy = firings.isBusy(tx, schedule, overlap);
    Instant fireAt = clock.instant();
    Firings.Fired fired = Firings.Fired.NOTHING;
    while (fired.written().isEmpty()) {
      List<Tick> plan = FiringPlan.recent(List.of(fireAt), overlap, busy);
      firings.requireRoom(tx, schedule, overlap, plan);
      Tick tick = plan.get(0);
      Firing firing = new Firing(tick, tick.fires() ? runId : null, true, clock.instant());
      fired = firings.write(tx, schedule, List.of(firing));
      fireAt = fireAt.plus(1, ChronoUnit.MICROS);
    }
    return fired;
  }

  /**
   * Past ticks that are to be fired.
   *
   * @param overlap takes the place of the schedule's own
   * @param dryRun only to count
   */
  public record Backfill(
      Instant from, Instant to, @Nullable OverlapPolicy overlap, boolean dryRun) {}

  /**
   * What became of a backfill.
   *
   * @param continueFrom where the next call goes on; null if there is nothing left
   */
  public record Backfilled(
      List<RunId> runs, int fired, int alreadyFired, int skipped, @Nullable Instant continueFrom) {}

  /** Fires ticks of the window {@code (from, to]} that have not been fired. */
  public Backfilled backfill(String namespace, String idOrName, Backfill wish) {
    namespaces.requireEnabled(namespace);
    if (wish.to().isAfter(clock.instant())) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "to: is in the future (expected: now or before)");
    }
    AtomicReference<Firings.Fired> fired = new AtomicReference<>(Firings.Fired.NOTHING);
    Backfilled answer =
        firings.whenThereIsRoom(tx -> {
          Schedule schedule = schedules.locked(tx, namespace, idOrName);
          requireRemembered(tx, schedule, wish.from());
          List<Instant> ticks =
              CronReader.read(schedule.definition()).between(wish.from(), wish.to(), MAX_TICKS + 1);
          Instant goOn = ticks.size() > MAX_TICKS ? ticks.get(MAX_TICKS - 1) : null;
          List<Instant> looked = ticks.subList(0, Math.min(ticks.size(), MAX_TICKS));
          Set<Instant> before = store.findFired(tx, schedule.scheduleId(), wish.from(), wish.to());
          List<Instant> open = looked.stream().filter(tick -> !before.contains(tick)).toList();
          List<Tick> plan = plan(tx, schedule, open, wish);
          if (!wish.dryRun()) {
            fired.set(firings.write(tx, schedule, plan, true));
          }
          return answer(plan, looked.size() - open.size(), fired.get(), goOn);
        });
    firings.announce(fired.get());
    return answer;
  }

  /** Of a tick whose record is gone nobody knows whether it fired, and none may fire twice. */
  private void requireRemembered(Transaction tx, Schedule schedule, Instant from) {
    Optional<Instant> pruned = store.prunedUpTo(tx, schedule.scheduleId()).filter(from::isBefore);
    if (pruned.isPresent()) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT,
          ("from: retention has removed the record of ticks up to %s, which must not fire twice"
                  + " (expected: that time or later)")
              .formatted(pruned.get()));
    }
  }

  private List<Tick> plan(Transaction tx, Schedule schedule, List<Instant> open, Backfill wish) {
    OverlapPolicy overlap =
        Objects.requireNonNullElse(wish.overlap(), schedule.definition().overlap());
    List<Tick> plan = FiringPlan.recent(open, overlap, firings.isBusy(tx, schedule, overlap));
    if (!wish.dryRun()) {
      firings.requireRoom(tx, schedule, overlap, plan);
    }
    return plan;
  }

  private static Backfilled answer(
      List<Tick> plan, int alreadyFired, Firings.Fired fired, @Nullable Instant goOn) {
    int fires = (int) plan.stream().filter(Tick::fires).count();
    List<RunId> runIds =
        fired.written().stream().map(Firing::runId).filter(Objects::nonNull).toList();
    return new Backfilled(runIds, fires, alreadyFired, plan.size() - fires, goOn);
  }
}
