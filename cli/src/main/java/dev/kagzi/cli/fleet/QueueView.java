package dev.kagzi.cli.fleet;

import com.google.protobuf.Timestamp;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Queue;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Queues as people read them. Stateless. */
public final class QueueView {
  private QueueView() {}

  static String table(ListQueuesResponse response, Look look) {
    return rows(response.getQueuesList(), look)
        + PageOptions.footer(response.getQueuesCount(), "queue", response.getPage());
  }

  /** A table of queues. */
  public static String rows(Iterable<Queue> queues, Look look) {
    var table =
        new Table(
            "QUEUE",
            "READY>",
            "OLDEST>",
            "RUNNING>",
            "SLEEPING>",
            "RETRYING>",
            "WORKERS>",
            "SLOTS>",
            "START/MIN>",
            "DONE/MIN>",
            "FAIL/MIN>",
            "");
    for (var queue : queues) {
      table.row(
          look.paint().strong(queue.getTaskQueue()),
          count(queue, queue.getReady()),
          look.took(queue.getOldestReadyAt(), Timestamp.getDefaultInstance()),
          count(queue, queue.getRunning()),
          count(queue, queue.getSleeping()),
          count(queue, queue.getRetrying()),
          queue.getWorkersOnline(),
          queue.getSlotsUsed() + "/" + queue.getSlotsTotal(),
          rate(queue.getStartedPerMinute()),
          rate(queue.getFinishedPerMinute()),
          rate(queue.getFailedPerMinute()),
          remark(queue, look));
    }
    return table.text();
  }

  private static String count(Queue queue, long count) {
    return queue.getCountsAreLowerBounds() ? count + "+" : "" + count;
  }

  private static String rate(double perMinute) {
    return perMinute > 0 && perMinute < 1
        ? String.format(Locale.ROOT, "%.1f", perMinute)
        : "" + Math.round(perMinute);
  }

  private static String remark(Queue queue, Look look) {
    if (queue.getWorkersOnline() == 0) {
      return look.paint().bad("no worker");
    }
    return queue.getUnservedCount() > 0 ? look.paint().odd("not all types are served") : "";
  }

  static String text(Queue queue, ListWorkersResponse workers, Look look) {
    var unserved =
        queue.getUnservedList().stream()
            .map(type -> (type.getWorkflowType() + " " + type.getVersion()).strip())
            .collect(Collectors.joining(", "));
    return rows(List.of(queue), look)
        + (unserved.isEmpty() ? "" : look.paint().bad("nobody serves: " + unserved) + "\n")
        + "\n"
        + WorkerView.table(workers, look);
  }
}
