package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.BenchFailedException;
import dev.kagzi.bench.system.Entrant;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ten times as many starts as can be served, for a minute: how much of the peak is still done
 * ({@code goodput_ratio}), how the others are refused, and whether anybody loses a lease or runs
 * out of memory.
 */
final class Overload implements Workload {
  private static final String KEY = WorkloadName.OVERLOAD.key();
  private static final int TIMES = 10;
  private static final int SECONDS = 60;
  private static final int ENOUGH = 10;

  @Override
  public void run(Arena arena) throws InterruptedException {
    var url = new AtomicReference<>("");
    try (var remote = arena.stage().remoteOn(url::set)) {
      arena.tell(WorkloadName.OVERLOAD, remote, "warms up");
      arena.warmUp(remote, Throughput.startsOnly(arena));
      arena.tell(WorkloadName.OVERLOAD, remote, "peak");
      double peak =
          Throughput.perSecond(arena.measure(remote, Throughput.startsOnly(arena)).reply());
      note(arena, remote, "peak_wf_per_s", peak);
      overload(arena, remote, url.get(), peak);
    }
  }

  private static void overload(Arena arena, Entrant remote, String url, double peak)
      throws InterruptedException {
    int seconds = arena.seconds() < ENOUGH ? 3 * arena.seconds() : SECONDS;
    int rate = (int) (peak * TIMES);
    arena.tell(WorkloadName.OVERLOAD, remote, "%d starts/s for %d s".formatted(rate, seconds));
    double began = ask(url, "SELECT extract(epoch FROM clock_timestamp())");
    var reply = arena.measure(remote, "overload %d %d".formatted(seconds, rate)).reply();
    double goodput = ended(url, began, reply.figure("seconds")) / reply.figure("seconds");
    note(arena, remote, "goodput_wf_per_s", goodput);
    note(arena, remote, "goodput_ratio", goodput / peak);
    for (var figure :
        List.of(
            "offered",
            "accepted",
            "resource_exhausted_with_retry_info",
            "resource_exhausted_without_retry_info",
            "deadline_exceeded",
            "other_failures",
            "unanswered")) {
      note(arena, remote, figure, reply.figure(figure));
    }
    note(arena, remote, "leases_lost", leasesLost(url));
    note(arena, remote, "out_of_memory", remote.hasRunOutOfMemory() ? 1 : 0);
  }

  private static void note(Arena arena, Entrant remote, String figure, double value) {
    arena.figures().add(KEY, remote.name().key(), figure, value);
  }

  /** How many ended while the flood lasted, not while its last answers were waited for. */
  private static double ended(String url, double began, double seconds) {
    return ask(
        url,
        String.format(
            Locale.ROOT,
            """
            SELECT count(*) FROM kagzi.finished_runs
            WHERE finished_at BETWEEN to_timestamp(%1$f) AND to_timestamp(%1$f + %2$f)
            """,
            began,
            seconds));
  }

  private static double leasesLost(String url) {
    return ask(
        url,
        """
        SELECT (SELECT COALESCE(sum(crashes), 0) FROM kagzi.finished_runs)
             + (SELECT COALESCE(sum(crashes), 0) FROM kagzi.workflow_runs)
        """);
  }

  private static double ask(String url, String sql) {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    } catch (SQLException e) {
      throw new BenchFailedException("PostgreSQL could not be asked: " + e.getMessage(), e);
    }
  }
}
