package dev.kagzi.engine.cron;

import com.cronutils.descriptor.CronDescriptor;
import com.cronutils.model.time.ExecutionTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The moments that a cron expression means in a time zone.
 *
 * <p>The expression is evaluated on the wall clock, and the wall clock is turned into moments here:
 *
 * <ul>
 *   <li>A time that the clocks skip in spring is fired as much later as the clocks were moved, so
 *       that a daily job is not missed that day.
 *   <li>A time that comes twice in autumn is fired the first time only, so that a daily job does
 *       not run twice that day.
 *   <li>An expression whose hour is {@code *} is meant as an interval, not as a time of day: it
 *       goes on evenly, without extra ticks in spring and in both passes of the hour in autumn.
 * </ul>
 */
public final class CronTimes {

  private static final CronParser PARSER = new CronParser();

  /** Years begin with 1970, in every time zone; from an earlier one nothing would be found. */
  private static final Instant EARLIEST = Instant.parse("1970-01-02T00:00:00Z");

  private final String words;
  private final ExecutionTime wallClock;
  private final boolean everyHour;
  private final ZoneRules rules;

  private CronTimes(CronParser.Parsed parsed, ZoneId zone) {
    this.words = CronDescriptor.instance(Locale.ENGLISH).describe(parsed.cron());
    this.wallClock = ExecutionTime.forCron(parsed.cron());
    this.everyHour = parsed.hours().equals("*");
    this.rules = zone.getRules();
  }

  /**
   * Reads an expression.
   *
   * @throws BadCronException if it cannot be read
   */
  public static CronTimes of(String expression, ZoneId zone) {
    return new CronTimes(PARSER.parse(expression), zone);
  }

  /** The expression in words. */
  public String inWords() {
    return words;
  }

  /** The first moment after this one, if there is any left. */
  public Optional<Instant> next(Instant from) {
    Instant after = from.isBefore(EARLIEST) ? EARLIEST : from;
    @Nullable LocalDateTime wall = LocalDateTime.ofInstant(after, rules.getOffset(after));
    while (true) {
      wall = nextOnTheWall(wall);
      if (wall == null) {
        return Optional.empty();
      }
      Optional<Instant> first =
          Stream.concat(Stream.of(wall), afterTransition(after, wall).stream())
              .flatMap(time -> moments(time).stream())
              .filter(moment -> moment.isAfter(after))
              .min(Instant::compareTo);
      if (first.isPresent()) {
        return first;
      }
    }
  }

  /** The moments in the window {@code (from, to]}, at most so many. */
  public List<Instant> between(Instant from, Instant to, int most) {
    List<Instant> moments = new ArrayList<>();
    Optional<Instant> next = next(from);
    while (next.isPresent() && !next.get().isAfter(to) && moments.size() < most) {
      moments.add(next.get());
      next = next(next.get());
    }
    return moments;
  }

  /** Ticks are whole seconds; a fraction of where the search begins would come back with them. */
  private @Nullable LocalDateTime nextOnTheWall(LocalDateTime after) {
    return wallClock
        .nextExecution(after.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC))
        .map(time -> time.toLocalDateTime())
        .orElse(null);
  }

  /**
   * The first time after the clocks are moved, if that is on the way to the next time on the wall:
   * it comes earlier than what is skipped, and earlier than what follows on what is repeated.
   */
  private Optional<LocalDateTime> afterTransition(Instant after, LocalDateTime wall) {
    ZoneOffsetTransition transition = rules.nextTransition(after);
    if (transition == null
        || (wall.isBefore(transition.getDateTimeBefore())
            && wall.isBefore(transition.getDateTimeAfter()))) {
      return Optional.empty();
    }
    return Optional.ofNullable(nextOnTheWall(transition.getDateTimeAfter().minusSeconds(1)));
  }

  private List<Instant> moments(LocalDateTime wall) {
    List<ZoneOffset> offsets = rules.getValidOffsets(wall);
    if (offsets.isEmpty()) {
      ZoneOffset before = rules.getTransition(wall).getOffsetBefore();
      return everyHour ? List.of() : List.of(wall.toInstant(before));
    }
    List<ZoneOffset> meant = everyHour ? offsets : offsets.subList(0, 1);
    return meant.stream().map(wall::toInstant).toList();
  }
}
