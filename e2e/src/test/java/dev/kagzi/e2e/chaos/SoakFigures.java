package dev.kagzi.e2e.chaos;

import dev.kagzi.e2e.chaos.Adversary.Hit;
import dev.kagzi.e2e.chaos.Customer.Ack;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

  /** The share of the usual rate that was reached soon after each start of a killed PostgreSQL. */
  List<Double> recoveries() {
    double usual = rate();
    return outcome.hits().stream()
        .filter(hit -> hit.fault() == Fault.KILL_POSTGRES)
        .map(hit -> outcome.finished().best(moment(hit.endedNanos()), RECOVERY, WINDOW) / usual)
        .sorted()
        .toList();
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
