package dev.kagzi.e2e.chaos;

import dev.kagzi.e2e.chaos.Adversary.Hit;
import dev.kagzi.e2e.chaos.Customer.Ack;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What a long run of the harness comes to in numbers. Pure. */
record SoakFigures(Chaos.Outcome outcome) {
  private static final int PARTS = 6;
  private static final Duration RECOVERY = Duration.ofSeconds(10);
  private static final Duration WINDOW = Duration.ofSeconds(3);
  private static final double PERCENTILE = 0.99;

  /** The moment of a reading of {@link System#nanoTime}. */
  Instant moment(long nanos) {
    return outcome.started().plusNanos(nanos - outcome.startedNanos());
  }

  Duration length() {
    return outcome.plan().length();
  }

  /**
   * Seconds from each kill of a server to the first answer to a call that was made after it, where
   * nothing was wrong with the other server and the database.
   */
  List<Double> failOvers() {
    var starts =
        outcome.acks().stream()
            .filter(ack -> ack.kind() == Customer.Kind.START)
            .sorted((a, b) -> Long.compare(a.doneNanos(), b.doneNanos()))
            .toList();
    return outcome.hits().stream()
        .filter(hit -> hit.fault() == Fault.KILL_SERVER && isAlone(hit))
        .map(hit -> failOver(hit, starts))
        .sorted()
        .toList();
  }

  private boolean isAlone(Hit kill) {
    return outcome.hits().stream()
        .filter(hit -> hit.atNanos() < kill.endedNanos() && hit.endedNanos() > kill.atNanos())
        .noneMatch(hit ->
            hit.fault() == Fault.KILL_POSTGRES
                || hit.fault() == Fault.KILL_BACKENDS
                || hit.target().startsWith("client")
                || hit.target().startsWith("database"));
  }

  private static double failOver(Hit kill, List<Ack> starts) {
    return starts.stream()
        .filter(ack -> ack.sentNanos() >= kill.atNanos())
        .findFirst()
        .map(ack -> seconds(ack.doneNanos() - kill.atNanos()))
        .orElse(Double.POSITIVE_INFINITY);
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
    boolean outage = hit.fault() == Fault.KILL_POSTGRES || hit.fault() == Fault.KILL_BACKENDS;
    return outage && hit.atNanos() >= kill.endedNanos() && hit.atNanos() < before;
  }

  /** The rate of the last part of the time against that of the first. */
  double rateKept() {
    List<Double> parts = rates(PARTS);
    return parts.getLast() / parts.getFirst();
  }

  List<Double> rates(int parts) {
    return outcome.finished().parts(outcome.started(), length(), parts);
  }

  /** The average memory of the servers in the last third against that in the first. */
  double memoryGrowth() {
    long third = length().toNanos() / 3;
    return memory(2 * third, Long.MAX_VALUE) / memory(0, third);
  }

  /** The average memory of the servers in kilobytes, between two times since the start. */
  double memory(long fromNanos, long toNanos) {
    var readings = new ArrayList<Long>();
    for (Chaos.Memory reading : outcome.memory()) {
      long since = reading.atNanos() - outcome.startedNanos();
      if (since >= fromNanos && since < toNanos && reading.kilobytes() > 0) {
        readings.add(reading.kilobytes());
      }
    }
    return readings.stream().mapToLong(Long::longValue).average().orElse(0);
  }

  long count(Fault fault) {
    return outcome.hits().stream().filter(hit -> hit.fault() == fault).count();
  }
}
