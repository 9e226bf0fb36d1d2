package dev.kagzi.cli.fleet;

import dev.kagzi.cli.command.Labels;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerEvent;
import dev.kagzi.v1.WorkflowRun;
import java.util.List;
import java.util.stream.Collectors;

/** Workers as people read them. Stateless. */
final class WorkerView {
  private WorkerView() {}

  static String table(ListWorkersResponse response, Look look) {
    var table =
        new Table(
            "WORKER",
            "QUEUE",
            "STATUS",
            "HOST",
            "PID>",
            "VERSION",
            "SLOTS>",
            "DONE>",
            "FAILED>",
            "LAST BEAT",
            "SINCE");
    for (var worker : response.getWorkersList()) {
      table.row(
          Look.shortId(worker.getWorkerId()),
          worker.getTaskQueue(),
          look.status(worker.getStatus()),
          Look.cut(worker.getHostname(), 24),
          worker.getPid(),
          Look.orNone(worker.getBuildVersion()),
          worker.getActiveCount() + "/" + worker.getMaxConcurrent(),
          worker.getTotalCompleted(),
          worker.getTotalFailed(),
          look.at(worker.getLastHeartbeatAt()),
          look.at(worker.getRegisteredAt()));
    }
    return table.text()
        + PageOptions.footer(response.getWorkersCount(), "worker", response.getPage());
  }

  static String text(GetWorkerResponse response, Look look) {
    var worker = response.getWorker();
    return """
    worker %s   %s   queue %s   version %s
    %s, process %d   %s on %s
    slots %d/%d   completed %d   failed %d   labels %s
    registered %s   last beat %s
    serves %s
    %s%s\
    """
        .formatted(
            look.paint().strong(worker.getWorkerId()),
            look.status(worker.getStatus()),
            worker.getTaskQueue(),
            Look.orNone(worker.getBuildVersion()),
            worker.getHostname(),
            worker.getPid(),
            (worker.getSdkName() + " " + worker.getSdkVersion()).strip(),
            worker.getRuntime(),
            worker.getActiveCount(),
            worker.getMaxConcurrent(),
            worker.getTotalCompleted(),
            worker.getTotalFailed(),
            Labels.shown(worker.getLabelsMap()),
            look.at(worker.getRegisteredAt()),
            look.at(worker.getLastHeartbeatAt()),
            types(worker),
            runs(response.getRunsList(), look),
            events(response.getEventsList(), look));
  }

  private static String types(Worker worker) {
    return worker.getWorkflowTypesList().stream()
        .map(type ->
            type.getVersion().isEmpty()
                ? type.getWorkflowType()
                : type.getWorkflowType() + " " + type.getVersion())
        .collect(Collectors.joining(", "));
  }

  private static String runs(List<WorkflowRun> runs, Look look) {
    if (runs.isEmpty()) {
      return "";
    }
    var table = new Table("RUN", "TYPE", "ID", "STARTED");
    for (var run : runs) {
      table.row(
          Look.shortId(run.getRunId()),
          run.getWorkflowType(),
          Look.orNone(run.getExternalId()),
          look.at(run.getStartedAt()));
    }
    return "\n" + table.text("  ");
  }

  private static String events(List<WorkerEvent> events, Look look) {
    if (events.isEmpty()) {
      return "";
    }
    var table = new Table("WHEN", "EVENT", "MESSAGE");
    for (var event : events) {
      table.row(look.at(event.getAt()), Words.lower(event.getType()), event.getMessage());
    }
    return "\n" + table.text("  ");
  }
}
