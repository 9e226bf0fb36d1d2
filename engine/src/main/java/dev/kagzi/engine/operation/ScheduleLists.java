package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleFilter;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.FiringStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.ScheduleStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking at schedules and their ticks. */
public final class ScheduleLists {

  /** Later than any tick: cron expressions end with the year 2099. */
  private static final Instant NEWEST = Instant.parse("9999-01-01T00:00:00Z");

  private final Database database;
  private final Schedules schedules;
  private final PageTokens tokens;
  private final ScheduleStore store = new ScheduleStore();
  private final FiringStore firings = new FiringStore();
  private final RunStore runs = new RunStore();

  public ScheduleLists(Database database, InstantSource clock, Schedules schedules) {
    this.database = database;
    this.schedules = schedules;
    this.tokens = PageTokens.shared(database, clock);
  }

  /** A schedule as it stands. */
  public Schedule get(String namespace, String idOrName) {
    return database
        .inTransaction(tx -> schedules.find(tx, namespace, idOrName))
        .orElseThrow(() -> Schedules.notFound(idOrName));
  }

  /** One page of schedules, newest first, without their inputs. */
  public Batches.Listed<Schedule> list(ScheduleFilter filter, int size, String token) {
    String name = filter.toString();
    Position from =
        token.isEmpty() ? Position.NEWEST : tokens.read(token, filter.namespace(), name);
    List<Schedule> found = database.inTransaction(tx -> store.list(tx, filter, from, size + 1));
    return listed(
        Pages.cut(found, from, size, Schedule::scheduleId), from, filter.namespace(), name);
  }

  public RunLists.Count count(ScheduleFilter filter) {
    return counted(database.inTransaction(tx -> store.count(tx, filter, RunLists.EXACT_COUNT + 1)));
  }

  /** One page of the ticks of a schedule, newest first. */
  public Batches.Listed<Firing> firings(
      Schedule schedule, @Nullable Boolean fired, int size, String token) {
    String namespace = schedule.definition().namespace();
    String name = "firings %s %s".formatted(schedule.scheduleId(), fired);
    Position from = token.isEmpty() ? Position.NEWEST : tokens.read(token, namespace, name);
    List<Firing> found =
        database.inTransaction(tx ->
            firings.list(
                tx, schedule.scheduleId(), fired, from.direction(), momentOf(from), size + 1));
    return listed(Pages.cut(found, from, size, ScheduleLists::placeOf), from, namespace, name);
  }

  public RunLists.Count countFirings(Schedule schedule, @Nullable Boolean fired) {
    return counted(
        database.inTransaction(
            tx -> firings.count(tx, schedule.scheduleId(), fired, RunLists.EXACT_COUNT + 1)));
  }

  /** The runs of ticks, as far as there are any. */
  public Map<RunId, Run> runsOf(List<Firing> ticks) {
    List<RunId> ids = ticks.stream().map(Firing::runId).filter(Objects::nonNull).toList();
    Map<RunId, Run> found = new HashMap<>();
    database.inTransaction(tx -> runs.findAll(tx, ids)).forEach(run -> found.put(run.runId(), run));
    return found;
  }

  /** Page tokens hold ids; a moment fits into half of one. */
  private static RunId placeOf(Firing firing) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, firing.tick().fireAt());
    return new RunId(new UUID(micros, 0));
  }

  private static Instant momentOf(Position position) {
    return position.equals(Position.NEWEST)
        ? NEWEST
        : Instant.EPOCH.plus(position.beyond().value().getMostSignificantBits(), ChronoUnit.MICROS);
  }

  private static RunLists.Count counted(int found) {
    int limit = RunLists.EXACT_COUNT;
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }

  private <T> Batches.Listed<T> listed(
      Page<T> page, Position from, String namespace, String filter) {
    return new Batches.Listed<>(
        page.items(),
        page.older().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        page.newer().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        (from.direction() == Direction.OLDER ? page.older() : page.newer()).isPresent());
  }
}
