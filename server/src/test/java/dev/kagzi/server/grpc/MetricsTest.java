package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.Scrape;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.TimeoutConfig;
import dev.kagzi.v1.WorkCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a server tells Prometheus about runs that went over the wire. */
class MetricsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String QUEUE = "metered";
  private static final Path ROOT = Path.of("..");
  private static final List<String> LOOPS =
      List.of(
          "node-beat",
          "worker-sweep",
          "fallback-poll",
          "batches",
          "children",
          "worker-prune",
          "partitions",
          "retention",
          "schedules",
          "lease-sweep",
          "node-sweep",
          "deadlines",
          "step-timeouts");
  private static final Pattern NAME = Pattern.compile("\\b(kagzi|jvm)_[a-z_]+");

  private final TestServer server =
      TestServer.start(settings ->
          settings
              .set(ConfigKeys.WORKER_SUSPECT_GRACE, Duration.ofMillis(300))
              .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofMillis(200)));

  @AfterEach
  void stop() {
    server.close();
  }

  private Task claim(WorkerFixture worker) {
    worker.start();
    return worker.claim();
  }

  private static FailStepRequest failStep(Task task, WorkerFixture worker, boolean forGood) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker.workerId())
        .setStep(aStep("charge[7]#2"))
        .setError(ErrorDetail.newBuilder().setMessage("refused"))
        .setNonRetryable(forGood)
        .build();
  }

  private void timeOut() {
    server
        .workflows()
        .startWorkflow(
            aStart()
                .setTaskQueue(QUEUE)
                .setTimeouts(TimeoutConfig.newBuilder().setExecutionTimeout(millis(1)))
                .build());
    awaitValue(finished("timed_out"), 1);
  }

  private void awaitValue(String series, double value) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(Scrape.of(server).value(series)).isEqualTo(value));
  }

  private static String ofRuns(String name) {
    return name + "{namespace=\"default\",task_queue=\"metered\",workflow_type=\"order\"}";
  }

  private static String finished(String status) {
    return "kagzi_runs_finished_total{namespace=\"default\",status=\"%s\",task_queue=\"metered\",workflow_type=\"order\"}"
        .formatted(status);
  }

  private static String attempts(String outcome) {
    return "kagzi_step_duration_seconds_count{outcome=\"%s\",step=\"charge\",workflow_type=\"order\"}"
        .formatted(outcome);
  }

  /** Something of everything that is counted. */
  private void live() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      Task good = claim(worker);
      worker.client().completeStep(completeStep(good, worker.workerId(), "charge[7]", "1"));
      Task again = worker.takeOver(good);
      worker.client().complete(complete(again, worker.workerId(), "1"));

      Task bad = claim(worker);
      worker.client().failStep(failStep(bad, worker, false));
      worker
          .client()
          .failStep(
              failStep(bad, worker, true).toBuilder()
                  .setStep(aStep("charge[7]#2").setAttempt(2))
                  .build());
      worker.client().fail(fail(bad, worker.workerId()).setNonRetryable(true).build());

      server
          .workflows()
          .cancelWorkflow(CancelWorkflowRequest.newBuilder().setRunId(worker.start()).build());
      timeOut();
    }
    loseAWorker();
  }

  private void loseAWorker() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      worker.start();
      var stream = WorkStreamClient.open(server.channel(), worker.workerId());
      stream.call(WorkCall.newBuilder().setPollTask(worker.poll()));
      stream.breakOff();
      awaitValue("kagzi_lease_expired_total{task_queue=\"metered\"}", 1);
    }
  }

  @Test
  void countsWhatHappenedToRunsAndSteps() {
    live();

    awaitValue(ofRuns("kagzi_runs_started_total"), 5);
    Scrape seen = Scrape.of(server);
    assertThat(seen.value(finished("completed"))).isEqualTo(1);
    assertThat(seen.value(finished("failed"))).isEqualTo(1);
    assertThat(seen.value(finished("cancelled"))).isEqualTo(1);
    assertThat(seen.value(finished("timed_out"))).isEqualTo(1);
    assertThat(seen.sum("kagzi_run_duration_seconds_count")).isEqualTo(4);
    assertThat(seen.value(attempts("completed"))).isEqualTo(1);
    assertThat(seen.value(attempts("failed"))).isEqualTo(2);
    assertThat(seen.sum("kagzi_step_duration_seconds_count")).isEqualTo(3);
    assertThat(seen.sum("kagzi_step_retries_total")).isEqualTo(1);
    assertThat(seen.value("kagzi_schedule_to_start_seconds_count{task_queue=\"metered\"}"))
        .isEqualTo(4);
    assertThat(seen.value("kagzi_replay_steps_count{workflow_type=\"order\"}")).isEqualTo(1);
    assertThat(seen.value("kagzi_replay_steps_sum{workflow_type=\"order\"}")).isEqualTo(1);
    assertThat(seen.value("kagzi_claim_seconds_count{result=\"hit\"}")).isEqualTo(4);
    assertThat(seen.value("kagzi_lease_expired_total{task_queue=\"metered\"}")).isEqualTo(1);
    assertThat(seen.series().keySet())
        .filteredOn(series -> series.startsWith("kagzi_loop_stalled"))
        .containsExactlyInAnyOrderElementsOf(
            LOOPS.stream().map("kagzi_loop_stalled{loop=\"%s\"}"::formatted).toList());
    assertThat(seen.sum("kagzi_loop_stalled")).isZero();
    assertThat(seen.value("kagzi_database_up")).isEqualTo(1);
    assertThat(seen.count("kagzi_db_pool_connections")).isEqualTo(2);
    assertThat(seen.sum("kagzi_db_pool_connections")).isBetween(1.0, 6.0);
    assertThat(seen.value("kagzi_db_pool_limit")).isEqualTo(6);
    assertThat(seen.sum("kagzi_build_info")).isEqualTo(1);
    assertThat(seen.series().keySet()).noneMatch(series -> series.contains("run_id"));
  }

  @Test
  void countsWhatWaitsAndWhoServesIt() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      worker.start();
      worker.start();

      Scrape seen = Scrape.of(server);

      String labels = "{namespace=\"default\",task_queue=\"metered\"}";
      assertThat(seen.value("kagzi_queue_ready" + labels)).isEqualTo(2);
      assertThat(seen.value("kagzi_queue_oldest_age_seconds" + labels)).isBetween(0.0, 60.0);
      assertThat(seen.value("kagzi_queue_workers" + labels)).isEqualTo(1);
      assertThat(seen.series()).containsEntry("kagzi_schedules_late", 0.0);
    }
  }

  @Test
  void countsNothingThatWasRefusedAndNothingTwice() {
    try (var worker = new WorkerFixture(server, Transport.UNARY, QUEUE)) {
      Task lost = claim(worker);
      Task held = worker.takeOver(lost);
      String me = worker.workerId();

      assertThat(
              Stream.<Runnable>of(
                      () -> worker.client().completeStep(completeStep(lost, me, "charge", "1")),
                      () -> worker.client().failStep(failStep(lost, worker, true)),
                      () -> worker.client().complete(complete(lost, me, "1")))
                  .map(WorkerFixture::refusalOf))
          .containsOnly("ABORTED LEASE_LOST");
      for (int i = 0; i < 2; i++) {
        worker.client().completeStep(completeStep(held, me, "ship", "1"));
      }
      for (int i = 0; i < 2; i++) {
        worker.client().complete(complete(held, me, "1"));
      }
      server.workflows().startWorkflow(aStart().setTaskQueue(QUEUE).setExternalId("a").build());
      server.workflows().startWorkflow(aStart().setTaskQueue(QUEUE).setExternalId("a").build());

      awaitValue(ofRuns("kagzi_runs_started_total"), 2);
      Scrape seen = Scrape.of(server);
      assertThat(seen.sum("kagzi_runs_finished_total")).isEqualTo(1);
      assertThat(seen.sum("kagzi_run_duration_seconds_count")).isEqualTo(1);
      assertThat(seen.sum("kagzi_step_duration_seconds_count")).isEqualTo(1);
      assertThat(seen.sum("kagzi_step_retries_total")).isZero();
    }
  }

  @Test
  void isReadByGetOnlyAndInTheTextFormat() {
    var answer = Scrape.get(server);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    var refused = Scrape.send(server, "POST");
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("Allow")).contains("GET");
  }

  @Test
  void documentsAlertsAndDashboardsNameWhatIsOffered() {
    live();
    Set<String> offered = new TreeSet<>();
    Scrape.of(server).families().forEach(name -> offered.add(base(name)));

    Set<String> own = new TreeSet<>(offered);
    own.removeIf(name -> !name.startsWith("kagzi_"));
    assertThat(names(firstColumn(read("docs/metrics.md")))).isEqualTo(own);
    assertThat(offered).containsAll(names(read("docs/metrics.md")));
    assertThat(offered).containsAll(names(read("ops/prometheus/alerts.yml")));
    for (String dashboard : List.of("kagzi-overview", "kagzi-workers")) {
      JsonNode json =
          JsonMapper.builder().build().readTree(read("ops/grafana/%s.json".formatted(dashboard)));
      assertThat(json.get("uid").asString()).isEqualTo(dashboard);
      List<String> queries = json.findValuesAsString("expr");
      assertThat(queries).hasSizeGreaterThan(5).allMatch(query -> NAME.matcher(query).find());
      assertThat(offered).containsAll(names(String.join("\n", queries)));
    }
  }

  /** What a metric is called whose parts are series of their own. */
  private static String base(String name) {
    return name.replaceAll("_(bucket|sum|count|max)$", "");
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    NAME.matcher(text).results().forEach(match -> names.add(base(match.group())));
    return names;
  }

  private static String firstColumn(String text) {
    return text.lines()
        .filter(line -> line.startsWith("| `kagzi_"))
        .map(line -> line.split("\\|", -1)[1])
        .reduce("", (all, line) -> all + "\n" + line);
  }

  private static String read(String path) {
    try {
      return Files.readString(ROOT.resolve(path));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}
