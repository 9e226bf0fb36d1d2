package dev.kagzi.cli.top;

import dev.kagzi.cli.fleet.QueueView;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.StatsBucket;
import java.util.Comparator;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** A scene as it is drawn. Stateless. */
final class Frame {
  private static final int MOST_ROWS = 12;

  private Frame() {}

  static String of(Scene scene, String address, String namespace, Look look) {
    return """
    %s   server %s at %s   namespace %s   %s online
    now: %s
    last 5 minutes: %d started, %d completed, %d failed, %d cancelled, %d timed out

    %s
    %s
    %s\
    """
        .formatted(
            look.paint().strong("kagzi top"),
            scene.info().getServerVersion(),
            address,
            namespace,
            Words.count(scene.stats().getWorkersOnline(), "worker"),
            live(scene),
            sum(scene, StatsBucket::getStarted),
            sum(scene, StatsBucket::getCompleted),
            sum(scene, StatsBucket::getFailed),
            sum(scene, StatsBucket::getCancelled),
            sum(scene, StatsBucket::getTimedOut),
            queues(scene, look),
            workers(scene, look),
            failing(scene, look));
  }

  private static String live(Scene scene) {
    var live =
        scene.stats().getLiveList().stream()
            .filter(state -> state.getCount() > 0)
            .map(state -> state.getCount() + " " + Words.lower(state.getStatus()))
            .collect(Collectors.joining(", "));
    return live.isEmpty() ? "no live runs" : live;
  }

  private static long sum(Scene scene, ToLongFunction<StatsBucket> count) {
    return scene.stats().getBucketsList().stream().mapToLong(count).sum();
  }

  /** The fullest first, because that is where one looks. */
  private static String queues(Scene scene, Look look) {
    var fullest =
        scene.queues().stream()
            .sorted(Comparator.comparingLong(Queue::getReady).reversed())
            .limit(MOST_ROWS)
            .toList();
    return QueueView.rows(fullest, look) + more(scene.queues().size(), "queue");
  }

  private static String workers(Scene scene, Look look) {
    var table = new Table("WORKER", "QUEUE", "STATUS", "BUSY>", "DONE>", "FAILED>", "HEARD OF");
    scene.workers().stream()
        .limit(MOST_ROWS)
        .forEach(worker ->
            table.row(
                Look.shortId(worker.getWorkerId()),
                worker.getTaskQueue(),
                look.status(worker.getStatus()),
                worker.getActiveCount() + "/" + worker.getMaxConcurrent(),
                worker.getTotalCompleted(),
                worker.getTotalFailed(),
                look.at(worker.getLastHeartbeatAt())));
    return table.text() + more(scene.workers().size(), "worker");
  }

  private static String failing(Scene scene, Look look) {
    if (scene.failing().isEmpty()) {
      return "No run has failed.\n";
    }
    var table = new Table("FAILED RUN", "TYPE", "ENDED", "ERROR");
    scene
        .failing()
        .forEach(run ->
            table.row(
                Look.shortId(run.getRunId()),
                run.getWorkflowType(),
                look.at(run.getFinishedAt()),
                Look.cut(run.getError().getMessage(), 60)));
    return table.text();
  }

  private static String more(int all, String noun) {
    return all > MOST_ROWS ? "and %s more%n".formatted(Words.count(all - MOST_ROWS, noun)) : "";
  }
}
