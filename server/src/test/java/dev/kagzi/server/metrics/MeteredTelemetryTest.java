package dev.kagzi.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.server.Scrape;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Names that callers invent do not fill the memory. */
class MeteredTelemetryTest {

  private static final Duration SHORT = Duration.ofMillis(3);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final MeteredTelemetry telemetry = new MeteredTelemetry(registry);

  @Test
  void countsRunsOfTooManyTypesAndQueuesTogether() {
    for (int i = 0; i < 3000; i++) {
      var run = new RunTarget("default", "queue-" + i, "type-" + i, "version-" + i);
      telemetry.runStarted(run);
      telemetry.runFinished(run, RunStatus.COMPLETED, SHORT);
      telemetry.claimed(run.queue(), SHORT);
      telemetry.replayed(run.workflowType(), 3);
      telemetry.leaseExpired(new QueueKey("default", run.taskQueue()));
    }

    Scrape seen = Scrape.parse(registry.scrape());

    for (String name :
        new String[] {
          "kagzi_runs_started_total",
          "kagzi_run_duration_seconds_count",
          "kagzi_schedule_to_start_seconds_count",
          "kagzi_replay_steps_count",
          "kagzi_lease_expired_total"
        }) {
      assertThat(seen.count(name)).as(name).isEqualTo(1001);
      assertThat(seen.sum(name)).as(name).isEqualTo(3000);
    }
    assertThat(seen.count("kagzi_runs_finished_total")).isEqualTo(4 * 1001);
    assertThat(seen.value("kagzi_lease_expired_total{task_queue=\"other\"}")).isEqualTo(2000);
    telemetry.leaseExpired(new QueueKey("default", "queue-7"));
    assertThat(
            Scrape.parse(registry.scrape())
                .value("kagzi_lease_expired_total{task_queue=\"queue-7\"}"))
        .isEqualTo(2);
  }

  @Test
  void countsTooManyStepsTogether() {
    for (int i = 0; i < 500; i++) {
      telemetry.attemptEnded("order", "step-" + i + "[key-" + i + "]#2", StepStatus.FAILED, SHORT);
      telemetry.stepRetried("order", "step-" + i);
    }

    Scrape seen = Scrape.parse(registry.scrape());

    assertThat(seen.count("kagzi_step_retries_total")).isEqualTo(201);
    assertThat(seen.value("kagzi_step_retries_total{step=\"other\",workflow_type=\"other\"}"))
        .isEqualTo(300);
    assertThat(seen.value("kagzi_step_retries_total{step=\"step-7\",workflow_type=\"order\"}"))
        .isEqualTo(1);
    assertThat(seen.sum("kagzi_step_duration_seconds_count")).isEqualTo(500);
    assertThat(seen.series().keySet()).noneMatch(series -> series.contains("key-"));
  }

  @Test
  void countsKeysAndRepetitionsOfAStepAsOne() {
    for (String key : new String[] {"charge", "charge#2", "charge[A]", "charge[B]#3"}) {
      telemetry.attemptEnded("order", key, StepStatus.COMPLETED, SHORT);
    }

    assertThat(
            Scrape.parse(registry.scrape())
                .value(
                    "kagzi_step_duration_seconds_bucket{outcome=\"completed\",step=\"charge\",workflow_type=\"order\",le=\"0.005\"}"))
        .isEqualTo(4);
  }

  @Test
  void countsNews() {
    telemetry.newsReceived();
    telemetry.newsMissed();
    telemetry.newsMissed();

    Scrape seen = Scrape.parse(registry.scrape());

    assertThat(seen.value("kagzi_notifications_total{kind=\"received\"}")).isEqualTo(1);
    assertThat(seen.value("kagzi_notifications_total{kind=\"missed\"}")).isEqualTo(2);
  }
}
