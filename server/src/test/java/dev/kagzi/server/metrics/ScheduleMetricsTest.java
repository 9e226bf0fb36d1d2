package dev.kagzi.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.Scrape;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.TriggerScheduleRequest;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What schedules do is counted, and what they do not do is seen. */
class ScheduleMetricsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String LATE = "kagzi_schedules_late";

  /** A server that looks at its schedules so seldom that one can be late. */
  private final TestServer server =
      TestServer.start(settings ->
          settings
              .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofSeconds(60))
              .set(ConfigKeys.NODE_DEAD_AFTER, Duration.ofSeconds(180)));

  @AfterEach
  void stop() {
    server.close();
  }

  private String schedule(String namespace) {
    return server
        .schedules()
        .createSchedule(
            CreateScheduleRequest.newBuilder()
                .setNamespace(namespace)
                .setCronExpr("0 0 1 1 *")
                .setRun(RunTemplate.newBuilder().setWorkflowType("report").setTaskQueue("reports"))
                .build())
        .getSchedule()
        .getScheduleId();
  }

  private void execute(String sql) {
    DatabaseUrl url = server.server().config().database().requiredUrl();
    try (var connection = DriverManager.getConnection(url.jdbcUrl(), url.user(), url.password());
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void schedulesThatDidNotFireInTimeAreCountedWhereTheyShouldHave() {
    schedule("");
    server
        .namespaces()
        .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace("off").build());
    schedule("off");
    server
        .namespaces()
        .disableNamespace(DisableNamespaceRequest.newBuilder().setNamespace("off").build());

    execute(
        "UPDATE kagzi.workflow_runs SET available_at = now() - interval '11 seconds'"
            + " WHERE status = 'SCHEDULED'");

    assertThat(Scrape.of(server).value(LATE)).isEqualTo(1);
  }

  @Test
  void runsThatSchedulesStartAreCounted() {
    String id = schedule("");
    server
        .schedules()
        .triggerSchedule(TriggerScheduleRequest.newBuilder().setScheduleId(id).build());

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    Scrape.of(server)
                        .value(
                            "kagzi_runs_started_total{namespace=\"default\",task_queue=\"reports\",workflow_type=\"report\"}"))
                .isEqualTo(1));
  }
}
