package dev.kagzi.e2e.chaos;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** How many runs ended in each second, by the seconds since 1970. */
record Throughput(SortedMap<Long, Long> bySecond) {

  static Throughput of(String database) throws SQLException {
    var counts = new TreeMap<Long, Long>();
    try (var connection = DriverManager.getConnection(database);
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT floor(extract(epoch FROM finished_at))::bigint, count(*)"
                        + " FROM kagzi.finished_runs GROUP BY 1")) {
      while (rows.next()) {
        counts.put(rows.getLong(1), rows.getLong(2));
      }
    }
    return new Throughput(counts);
  }

  /** Runs per second from one moment to another. */
  double between(Instant from, Instant to) {
    long first = from.getEpochSecond();
    long end = to.getEpochSecond();
    long sum = bySecond.subMap(first, end).values().stream().mapToLong(Long::longValue).sum();
    return end > first ? (double) sum / (end - first) : 0;
  }

  /** The best of the windows of this length after a moment. */
  double best(Instant from, Duration within, Duration window) {
    double best = 0;
    for (Instant start = from;
        !start.plus(window).isAfter(from.plus(within));
        start = start.plusSeconds(1)) {
      best = Math.max(best, between(start, start.plus(window)));
    }
    return best;
  }

  /** The rate in each of so many equal parts of a time. */
  List<Double> parts(Instant from, Duration length, int parts) {
    var rates = new ArrayList<Double>();
    for (int part = 0; part < parts; part++) {
      rates.add(
          between(
              from.plus(length.multipliedBy(part).dividedBy(parts)),
              from.plus(length.multipliedBy(part + 1).dividedBy(parts))));
    }
    return rates;
  }
}
