package dev.kagzi.e2e.chaos;

import dev.kagzi.e2e.chaos.Adversary.Hit;
import dev.kagzi.e2e.chaos.Chaos.Memory;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What a long run of the harness comes to in numbers. Pure. */
record SoakFigures(Chaos.Outcome outcome) {
  private static final Duration RECOVERY = Duration.ofSeconds(10);
  private static final Duration WINDOW = Duration.ofSeconds(3);
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final double PERCENTILE = 0.99;

  /** Below this it is noise. */
  private static final double NOTICEABLE_SECONDS = 0.05;

  /** The moment of a reading of {@link System#nanoTime}. */
  Instant moment(long nanos) {
    return outcome.started().plusNanos(nanos - outcome.startedNanos());
  }

  Duration length() {
    return outcome.plan().length();
  }

  /**
   * How many seconds calls took that were under way when a server was killed or sent soon after,
   * counted from the kill, where nothing was wrong with the other server and the database.
   */
  List<Double> failOvers() {
    return serverKills().stream().flatMap(this::failOver).sorted().toList();
  }

  /** The kills of servers that can be judged. */
  List<Hit> serverKills() {
    return outcome.hits().stream()
        .filter(hit -> hit.fault() == Fault.KILL_SERVER && isAlone(hit))
        .toList();
  }

  private boolean isAlone(Hit kill) {
    return outcome.hits().stream()
        .filter(hit -> hit.atNanos() < kill.endedNanos() && hit.endedNanos() > kill.atNanos())
        .noneMatch(hit ->
            hit.fault().isOutage()
                || hit.fault() == Fault.PAUSE_SERVER
                || hit.target().startsWith("client")
                || hit.target().startsWith("database"));
  }

  private Stream<Double> failOver(Hit kill) {
    long until = kill.atNanos() + SOON.toNanos();
    return outcome.acks().stream()
        .filter(ack -> ack.kind() != Customer.Kind.RESULT)
        .filter(ack -> ack.doneNanos() > kill.atNanos() && ack.sentNanos() < until)
        .map(ack -> seconds(ack.doneNanos() - Math.max(ack.sentNanos(), kill.atNanos())));
  }

  private static double seconds(long nanos) {
    return (double) nanos / TimeUnit.SECONDS.toNanos(1);
  }

  /** The value that only one in a hundred exceeds; 0 of nothing. */
  static double p99(List<Double> sorted) {
    return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(PERCENTILE * sorted.size()) - 1);
  }

  /** Runs per second over the whole time of faults. */
  double rate() {
    return outcome.finished().between(outcome.started(), outcome.started().plus(length()));
  }

  /**
   * What followed a start of a killed PostgreSQL.
   *
   * @param share the best rate soon after it, against the usual one
   * @param peaceful whether nothing else was wrong for long enough: what other faults cost is not
   *     this return's
   * @param others what else was felt meanwhile
   */
  record Return(Instant at, double share, boolean peaceful, List<Hit> others) {
    @Override
    public String toString() {
      return "%s of the rate after the return of PostgreSQL at %s, beside %s"
          .formatted(
              SoakReport.number(share),
              at.truncatedTo(ChronoUnit.SECONDS),
              others.stream().map(hit -> hit.fault() + " of " + hit.target()).toList());
    }
  }

  /** Every return of PostgreSQL, the worst first. */
  List<Return> returns() {
    return outcome.hits().stream()
        .filter(hit -> hit.fault() == Fault.KILL_POSTGRES)
        .map(this::whatFollowed)
        .sorted(Comparator.comparingDouble(Return::share))
        .toList();
  }

  /** Those that can be judged. */
  List<Return> peacefulReturns() {
    return returns().stream().filter(Return::peaceful).toList();
  }

  private Return whatFollowed(Hit kill) {
    Instant at = moment(kill.endedNanos());
    return new Return(
        at,
        outcome.finished().best(at, RECOVERY, WINDOW) / rate(),
        isFollowedByPeace(kill),
        othersWithin(kill, kill.endedNanos(), kill.endedNanos() + RECOVERY.toNanos()).toList());
  }

  private Stream<Hit> othersWithin(Hit kill, long fromNanos, long toNanos) {
    return outcome.hits().stream()
        .filter(hit -> !hit.equals(kill) && hit.isFeltWithin(fromNanos, toNanos));
  }

  /** Whether one of the windows in which the rate is looked at is free of other faults. */
  private boolean isFollowedByPeace(Hit kill) {
    long last = RECOVERY.minus(WINDOW).toSeconds();
    return LongStream.rangeClosed(0, last).anyMatch(second -> isPeaceful(kill, second));
  }

  private boolean isPeaceful(Hit kill, long second) {
    long from = kill.endedNanos() + TimeUnit.SECONDS.toNanos(second);
    long to = from + WINDOW.toNanos();
    return othersWithin(kill, from, to).findAny().isEmpty()
        && outcome.hits().stream().noneMatch(hit -> isNextOutage(kill, hit, to));
  }

  /** What comes after the next outage of the database is the business of that one. */
  private static boolean isNextOutage(Hit kill, Hit hit, long before) {
    return hit.fault().isOutage() && hit.atNanos() >= kill.endedNanos() && hit.atNanos() < before;
  }

  /** The rate of the last part of the time against that of the first. */
  double rateKept() {
    List<Double> parts = rates(Chaos.PARTS);
    return parts.getLast() / parts.getFirst();
  }

  List<Double> rates(int parts) {
    return outcome.finished().parts(outcome.started(), length(), parts);
  }

  /** How long runs of schedules took in the last part of the time against the first. */
  double waitGrowth() {
    List<Double> waits = outcome.seen().waits();
    return waits.size() < Chaos.PARTS
        ? Double.NaN
        : waits.getLast() / Math.max(NOTICEABLE_SECONDS, waits.getFirst());
  }

  /**
   * How much the memory of those grew that were left alive for long: the last third of their lives
   * against the first, the worst of all. Not a number if there is one of whom that is not known.
   */
  double memoryGrowth() {
    return outcome.plan().pace().spared().stream()
        .mapToDouble(this::memoryGrowth)
        .reduce(0, Math::max);
  }

  private double memoryGrowth(String process) {
    List<Memory> life = lastLife(process);
    if (life.isEmpty()) {
      return Double.NaN;
    }
    long first = life.getFirst().atNanos() + Chaos.WARM.toNanos();
    long third = (life.getLast().atNanos() - first) / 3;
    return third < length().toNanos() / 12
        ? Double.NaN
        : memory(life, first + 2 * third, Long.MAX_VALUE) / memory(life, first, first + third);
  }

  private List<Memory> lastLife(String process) {
    List<Memory> all =
        outcome.seen().memory().stream()
            .filter(reading -> reading.process().equals(process) && reading.kilobytes() > 0)
            .toList();
    return all.stream().filter(reading -> reading.life() == all.getLast().life()).toList();
  }

  private static double memory(List<Memory> life, long fromNanos, long toNanos) {
    return life.stream()
        .filter(reading -> reading.atNanos() >= fromNanos && reading.atNanos() < toNanos)
        .mapToLong(Memory::kilobytes)
        .average()
        .orElse(Double.NaN);
  }

  long count(Fault fault) {
    return outcome.hits().stream().filter(hit -> hit.fault() == fault).count();
  }
}
