package dev.kagzi.cli.doctor;

import com.google.protobuf.Timestamp;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.StatsBucket;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Looks at what a namespace is to get done: queues, workers, failures, schedules. */
final class WorkChecks {
  private static final int MOST = 1000;
  private static final Duration LONG_WAIT = Duration.ofMinutes(1);
  private static final int FEW = 10;

  private final Server server;
  private final Instant now;

  WorkChecks(Server server, Instant now) {
    this.server = server;
    this.now = now;
  }

  List<Finding> look() {
    var findings = new ArrayList<Finding>();
    findings.addAll(queues());
    findings.addAll(workers());
    findings.addAll(statistics());
    return findings;
  }

  private List<Finding> queues() {
    var request =
        ListQueuesRequest.newBuilder().setNamespace(server.namespace()).setPageSize(MOST).build();
    var queues = server.admin(stub -> stub.listQueues(request)).getQueuesList();
    var findings = new ArrayList<Finding>();
    queues.forEach(queue -> findings.addAll(queue(queue, now)));
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(
              "namespace %s: %s, each with workers for what is ready"
                  .formatted(server.namespace(), Words.count(queues.size(), "queue"))));
    }
    return findings;
  }

  /** Nothing to say of one that is well. */
  static List<Finding> queue(Queue queue, Instant now) {
    var name = queue.getTaskQueue();
    if (queue.getReady() > 0 && queue.getWorkersOnline() == 0) {
      return List.of(
          Finding.warning(
              "queue %s: %d ready, 0 workers online; start a worker on it"
                  .formatted(name, queue.getReady())));
    }
    if (queue.getUnservedCount() > 0) {
      var types =
          queue.getUnservedList().stream()
              .map(type ->
                  type.getVersion().isEmpty()
                      ? type.getWorkflowType()
                      : type.getWorkflowType() + " " + type.getVersion())
              .collect(Collectors.joining(", "));
      return List.of(
          Finding.warning(
              "queue %s: no worker serves %s; start one that registers it".formatted(name, types)));
    }
    if (isOverrun(queue, now)) {
      return List.of(
          Finding.warning(
              "queue %s: %d ready, the oldest for %s, and %d of %d slots busy; start more workers"
                  .formatted(
                      name,
                      queue.getReady(),
                      ServerChecks.age(queue.getOldestReadyAt(), now),
                      queue.getSlotsUsed(),
                      queue.getSlotsTotal())));
    }
    return List.of();
  }

  private static boolean isOverrun(Queue queue, Instant now) {
    return queue.getReady() > 0
        && queue.getSlotsUsed() >= queue.getSlotsTotal()
        && !queue.getOldestReadyAt().equals(Timestamp.getDefaultInstance())
        && Look.instant(queue.getOldestReadyAt()).isBefore(now.minus(LONG_WAIT));
  }

  private List<Finding> workers() {
    var request =
        ListWorkersRequest.newBuilder()
            .setNamespace(server.namespace())
            .addStatuses(WorkerStatus.WORKER_STATUS_ONLINE)
            .setPageSize(MOST)
            .build();
    var workers = server.admin(stub -> stub.listWorkers(request)).getWorkersList();
    var findings = new ArrayList<Finding>();
    workers.stream()
        .filter(worker -> worker.getHealth() != HealthStatus.HEALTH_STATUS_HEALTHY)
        .forEach(worker -> findings.add(silent(worker, now)));
    if (findings.isEmpty()) {
      findings.add(
          workers.isEmpty()
              ? Finding.warning(
                  "namespace %s has no worker online; nothing will be executed"
                      .formatted(server.namespace()))
              : Finding.ok(
                  "%s online, all heard of lately"
                      .formatted(Words.count(workers.size(), "worker"))));
    }
    findings.addAll(sdks(workers));
    return findings;
  }

  /** One line for each version of an SDK. */
  private List<Finding> sdks(List<Worker> workers) {
    var info = server.admin(stub -> stub.getServerInfo(GetServerInfoRequest.getDefaultInstance()));
    var sdks = new TreeMap<String, List<Worker>>();
    for (var worker : workers) {
      var sdk = (worker.getSdkName() + " " + worker.getSdkVersion()).strip();
      sdks.computeIfAbsent(sdk, unseen -> new ArrayList<>()).add(worker);
    }
    return sdks.entrySet().stream()
        .map(sdk -> sdk(sdk.getKey(), sdk.getValue(), info.getServerVersion()))
        .toList();
  }

  static Finding sdk(String name, List<Worker> users, String serverVersion) {
    var version = users.getFirst().getSdkVersion();
    var text = Words.count(users.size(), "worker") + (users.size() == 1 ? " uses" : " use");
    if (version.isEmpty()) {
      return Finding.unknown(
          "%s an SDK that does not tell its version, which was not compared with the server's;"
                  .formatted(text)
              + " run them from a released jar");
    }
    if (ServerChecks.isUnpackaged(serverVersion) && !version.equals(serverVersion)) {
      return Finding.unknown(
          "%s %s, which was not compared with the server's version, because it has none"
              .formatted(text, name));
    }
    return version.equals(serverVersion)
        ? Finding.ok("%s %s, the server's version".formatted(text, name))
        : Finding.warning(
            "%s %s and the server is %s; use the same version of both"
                .formatted(text, name, serverVersion));
  }

  static Finding silent(Worker worker, Instant now) {
    return Finding.warning(
        "worker %s on %s (%s): last heard of %s ago; look at its process"
            .formatted(
                Look.shortId(worker.getWorkerId()),
                worker.getTaskQueue(),
                worker.getHostname(),
                ServerChecks.age(worker.getLastHeartbeatAt(), now)));
  }

  private List<Finding> statistics() {
    var request = GetStatsRequest.newBuilder().setNamespace(server.namespace()).build();
    return statistics(server.admin(stub -> stub.getStats(request)));
  }

  static List<Finding> statistics(GetStatsResponse stats) {
    var findings = new ArrayList<Finding>();
    if (stats.getLeasesExpired() > 0) {
      findings.add(
          Finding.problem(
              "held under a lease that has run out, with nobody who has taken it back: %s;"
                      .formatted(Words.count(stats.getLeasesExpired(), "run"))
                  + " look at the server's log; kagzi wf list --status running shows them"));
    }
    if (stats.getSchedulesLate() > 0) {
      findings.add(
          Finding.warning(
              "late: %s; kagzi schedule list shows which"
                  .formatted(Words.count(stats.getSchedulesLate(), "schedule"))));
    }
    findings.add(failures(stats));
    return findings;
  }

  private static Finding failures(GetStatsResponse stats) {
    var failed = stats.getBucketsList().stream().mapToLong(StatsBucket::getFailed).sum();
    var completed = stats.getBucketsList().stream().mapToLong(StatsBucket::getCompleted).sum();
    var text =
        "in the last hour %s completed and %d failed"
            .formatted(Words.count(completed, "run"), failed);
    return failed >= FEW && failed > completed
        ? Finding.warning(text + "; kagzi wf list --status failed shows why")
        : Finding.ok(text);
  }
}
