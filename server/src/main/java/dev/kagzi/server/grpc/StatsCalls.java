package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Stats;
import dev.kagzi.engine.operation.Statistics;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.Quantiles;
import dev.kagzi.v1.StatsBucket;
import dev.kagzi.v1.StatusCount;
import java.time.Duration;
import java.time.Instant;

/** Figures for people. Thread-safe. */
final class StatsCalls {

  private static final Duration DEFAULT_WINDOW = Duration.ofHours(1);
  private static final Duration LONGEST_WINDOW = Duration.ofDays(31);
  private static final double SHORTEST_SECONDS = 1;
  private static final int DEFAULT_BUCKETS = 60;
  private static final int MAX_BUCKETS = 1000;

  private final Statistics statistics;

  StatsCalls(Statistics statistics) {
    this.statistics = statistics;
  }

  GetStatsResponse get(GetStatsRequest request) {
    double window = request.hasWindow() ? seconds(request.getWindow()) : DEFAULT_WINDOW.toSeconds();
    double bucket =
        request.hasBucket()
            ? seconds(request.getBucket())
            : Math.max(SHORTEST_SECONDS, window / DEFAULT_BUCKETS);
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .optionalName("workflow_type", request.getWorkflowType())
        .optionalName("task_queue", request.getTaskQueue())
        .require(
            window >= SHORTEST_SECONDS && window <= LONGEST_WINDOW.toSeconds(),
            "window",
            "is not in range (expected: 1 second to %d days)".formatted(LONGEST_WINDOW.toDays()))
        .require(
            bucket >= SHORTEST_SECONDS && bucket * MAX_BUCKETS >= window,
            "bucket",
            "is too short (expected: at least 1 second and 1/%d of the window)"
                .formatted(MAX_BUCKETS))
        .done();
    String type = request.getWorkflowType();
    String queue = request.getTaskQueue();
    return toWire(
        statistics.look(
            new Statistics.Wish(
                Requests.namespace(request.getNamespace()),
                type.isEmpty() ? null : type,
                queue.isEmpty() ? null : queue,
                duration(window),
                duration(Math.min(bucket, window)))));
  }

  /** Not as a duration, because what a caller sends may be none. */
  private static double seconds(com.google.protobuf.Duration wire) {
    return wire.getSeconds() + wire.getNanos() / 1e9;
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  private static GetStatsResponse toWire(Stats stats) {
    var wire =
        GetStatsResponse.newBuilder()
            .setScheduleToStart(toWire(stats.summary().scheduleToStart()))
            .setRunDuration(toWire(stats.summary().duration()))
            .setLeasesExpired(stats.summary().leasesExpired())
            .setWorkersOnline(stats.workersOnline())
            .setSchedulesLate(stats.schedulesLate());
    stats
        .live()
        .forEach((status, count) ->
            wire.addLive(
                StatusCount.newBuilder()
                    .setStatus(RunMapper.toWire(status))
                    .setCount(count)
                    .setIsLowerBound(stats.liveIsLowerBound())));
    stats.buckets().forEach(bucket -> wire.addBuckets(toWire(bucket)));
    Instant countedFrom = stats.countedFrom();
    return countedFrom == null
        ? wire.build()
        : wire.setCountedFrom(TimeMapper.toWire(countedFrom)).build();
  }

  private static StatsBucket toWire(Stats.Bucket bucket) {
    return StatsBucket.newBuilder()
        .setFrom(TimeMapper.toWire(bucket.from()))
        .setStarted(bucket.started())
        .setCompleted(bucket.completed())
        .setFailed(bucket.failed())
        .setCancelled(bucket.cancelled())
        .setTimedOut(bucket.timedOut())
        .build();
  }

  private static Quantiles toWire(Stats.Quantiles quantiles) {
    var wire = Quantiles.newBuilder();
    Duration p50 = quantiles.p50();
    Duration p95 = quantiles.p95();
    Duration p99 = quantiles.p99();
    if (p50 != null && p95 != null && p99 != null) {
      wire.setP50(TimeMapper.toWire(p50))
          .setP95(TimeMapper.toWire(p95))
          .setP99(TimeMapper.toWire(p99));
    }
    return wire.build();
  }
}
